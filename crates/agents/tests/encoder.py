"""Makes the numbers that `src/tests/encoder.rs` expects of an encoder of two layers, by the package transformers.

    python crates/agents/tests/encoder.py                  # needs torch and transformers; prints a table of Rust
    python crates/agents/tests/encoder.py MODEL SENTENCES  # means of an encoder in a directory, one JSON list a sentence

Weights come from a formula that both languages compute exactly, so that no file is kept.
"""

import json
import sys
import tempfile
from pathlib import Path

import torch
from transformers import BertConfig, BertModel, BertTokenizerFast

PIECES = (
    "[PAD] [UNK] [CLS] [SEP] [MASK] . , ! ' a there is are at least exactly one two block ##s tower yellow blue black "
    "box with base top on of the un ##believ ##able naive left ##most s"
)
SENTENCES = [
    "There is a yellow block.",
    "there are exactly two towers with a blue base, at least",
    "Naïve, unbelievable! The leftmost box",
    "A tower's  top\tis black",
    "zebra",
]
SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 20,
    "type_vocab_size": 2,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
}


def numbers(name: str, count: int) -> list[float]:
    """Numbers between -1 and 1 that follow from a name alone."""
    seed = 2166136261
    for byte in name.encode():
        seed = (seed ^ byte) * 16777619 % 2**32
    return [((seed + 2654435761 * i) % 2**32 // 2**8) / 2**23 - 1 for i in range(count)]


def mean(model: BertModel, tokenizer: BertTokenizerFast, sentence: str) -> list[float]:
    """The mean of all layers' states and of all pieces but the first and the last."""
    tokens = tokenizer(sentence, return_tensors="pt")
    with torch.no_grad():
        states = model(**tokens, output_hidden_states=True).hidden_states
    return torch.stack(states)[:, 0, 1:-1].double().mean(dim=(0, 1)).tolist()


def main() -> None:
    if len(sys.argv) == 3:
        directory, sentences = sys.argv[1:]
        tokenizer = BertTokenizerFast.from_pretrained(directory)
        model = BertModel.from_pretrained(directory).eval()
        for sentence in Path(sentences).read_text(encoding="utf-8").splitlines():
            print(json.dumps(mean(model, tokenizer, sentence)))
        return
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = Path(folder) / "vocab.txt"
        vocabulary.write_text("\n".join(PIECES.split()) + "\n", encoding="utf-8")
        tokenizer = BertTokenizerFast(str(vocabulary), do_lower_case=True)
    model = BertModel(BertConfig(vocab_size=len(PIECES.split()), **SIZES), add_pooling_layer=False).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            found = torch.tensor(numbers(name, parameter.numel()), dtype=torch.float32).reshape(parameter.shape)
            parameter.copy_(1 + found / 2 if name.endswith("LayerNorm.weight") else found / 2)
    for sentence in SENTENCES:
        row = ", ".join(f"{x:.5f}" for x in mean(model, tokenizer, sentence))
        print(f"    ({json.dumps(sentence, ensure_ascii=False)}, [{row}]),")


if __name__ == "__main__":
    main()
