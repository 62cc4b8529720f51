"""Writes the weightless ONNX graphs of all-MiniLM-L6-v2 into the memory room's assets.

For maintainers, once per change of the graph. Needs the `onnx` package, which Stratal itself never
imports, so run it in a throw-away environment:

    python -m venv /tmp/onnxenv && /tmp/onnxenv/bin/pip install onnx numpy
    /tmp/onnxenv/bin/python scripts/build_embedding_graph.py

The graph (both forms): `input_ids` and `attention_mask`, int64 `(batch, sequence)`, in;
`embedding`, float32 `(batch, 384)`, out: the mean over the attended tokens, at unit length.
No weight is inside. Every initializer below is declared external and is given by name at load;
`stratal_memory.embedding.initializers` computes each from the model's safetensors. N is 0..5:

    embeddings.words              (30522, 384)  word embeddings
    embeddings.positions          (512, 384)    position embeddings + token type embedding 0
    embeddings.norm.gain|bias     (384,)
    layer.N.qkv.weight            (384, 1152)   query, key, value weights transposed, side by side
    layer.N.qkv.bias              (1152,)       query, key, value biases, end to end
    layer.N.attended.weight|bias  (384, 384), (384,)     attention output, transposed
    layer.N.attended.norm.gain|bias    (384,)
    layer.N.widened.weight|bias   (384, 1536), (1536,)   intermediate, transposed
    layer.N.narrowed.weight|bias  (1536, 384), (384,)    output, transposed
    layer.N.narrowed.norm.gain|bias    (384,)

In the int8 form the four matrices of a layer are int8 of the same shape, symmetric around zero,
each with `layer.N.<matrix>.scale`, one float32 a column. Activations are quantised while running,
one scale a tensor: so what shares a batch changes the vector (embed one text at a time).
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from onnx import ModelProto, NodeProto, TensorProto, helper

ASSETS = Path(__file__).parents[1] / "memory" / "stratal_memory" / "assets"
LAYERS, HEADS, WIDTH, INNER, WORDS, POSITIONS = 6, 12, 384, 1536, 30_522, 512
NORM_EPSILON = 1e-12  # config.json, layer_norm_eps
SMALLEST_NORM = 1e-12  # only guards a division; no text has a shorter mean
MICROSOFT = "com.microsoft"  # the domain of onnxruntime's own operators
FUSED = {"Attention", "QAttention", "DynamicQuantizeMatMul", "SkipLayerNormalization", "BiasGelu"}
STANDARD_VERSION, IR_VERSION = 17, 8  # old enough for onnxruntime 1.20
FLOAT, INT8 = TensorProto.FLOAT, TensorProto.INT8
Options = Mapping[str, float | list[int]]
PLAIN: Options = MappingProxyType({})


class Graph:
    """Nodes and declared initializers, in the order they were added."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.initializers: list[TensorProto] = []

    def weight(self, name: str, *shape: int, kind: int = FLOAT) -> str:
        """The name of a declared initializer whose content comes at load."""
        declared = TensorProto(name=name, data_type=kind, dims=shape)
        declared.data_location = TensorProto.EXTERNAL
        declared.external_data.add(key="location", value="given-at-load")
        self.initializers.append(declared)
        return name

    def constant(self, name: str, kind: int, values: Sequence[float]) -> str:
        """The name of a small constant, which lies in the graph."""
        self.initializers.append(helper.make_tensor(name, kind, [len(values)], values))
        return name

    def node(self, kind: str, *inputs: str, out: str, options: Options = PLAIN) -> str:
        """The name of the one output, `out`, of a new node."""
        domain = MICROSOFT if kind in FUSED else ""
        made = helper.make_node(kind, inputs, [out], out, domain=domain, **options)
        self.nodes.append(made)
        return out


class Float32:
    """How matrices are multiplied in the float32 form."""

    name = "float32"

    def attention(self, graph: Graph, x: str, mask: str, *, at: str) -> str:
        """Self-attention of one layer, before its output matrix."""
        weight = graph.weight(f"{at}.qkv.weight", WIDTH, 3 * WIDTH)
        bias = graph.weight(f"{at}.qkv.bias", 3 * WIDTH)
        return graph.node(
            "Attention", x, weight, bias, mask, out=f"{at}.heads", options={"num_heads": HEADS}
        )

    def product(self, graph: Graph, x: str, *, at: str, shape: tuple[int, int]) -> str:
        """`x` times the matrix of that name; its bias comes later."""
        weight = graph.weight(f"{at}.weight", *shape)
        return graph.node("MatMul", x, weight, out=f"{at}.product")


class Int8:
    """How matrices are multiplied in the int8 form."""

    name = "int8"

    def attention(self, graph: Graph, x: str, mask: str, *, at: str) -> str:
        """Self-attention of one layer, before its output matrix."""
        weight = graph.weight(f"{at}.qkv.weight", WIDTH, 3 * WIDTH, kind=INT8)
        scale = graph.weight(f"{at}.qkv.scale", 3 * WIDTH)
        bias = graph.weight(f"{at}.qkv.bias", 3 * WIDTH)
        small, x_scale, x_zero = (f"{at}.{part}" for part in ("x", "x_scale", "x_zero"))
        graph.nodes.append(helper.make_node("DynamicQuantizeLinear", [x], [small, x_scale, x_zero]))
        inputs = (small, weight, bias, x_scale, scale, mask, x_zero)
        return graph.node("QAttention", *inputs, out=f"{at}.heads", options={"num_heads": HEADS})

    def product(self, graph: Graph, x: str, *, at: str, shape: tuple[int, int]) -> str:
        """`x` times the matrix of that name; its bias comes later."""
        weight = graph.weight(f"{at}.weight", *shape, kind=INT8)
        scale = graph.weight(f"{at}.scale", shape[1])
        return graph.node("DynamicQuantizeMatMul", x, weight, scale, out=f"{at}.product")


def embedded(graph: Graph) -> str:
    """The input of layer 0: word + position + token type, normalised."""
    start = graph.constant("start", TensorProto.INT64, [0])
    one, two = (graph.constant(n, TensorProto.INT64, [v]) for n, v in (("one", 1), ("two", 2)))
    shape = graph.node("Shape", "input_ids", out="shape")
    length = graph.node("Slice", shape, one, two, out="length")
    positions = graph.weight("embeddings.positions", POSITIONS, WIDTH)
    placed = graph.node("Slice", positions, start, length, start, out="placed")
    words = graph.weight("embeddings.words", WORDS, WIDTH)
    looked_up = graph.node("Gather", words, "input_ids", out="looked_up")
    summed = graph.node("Add", looked_up, placed, out="summed")
    gain, bias = (graph.weight(f"embeddings.norm.{part}", WIDTH) for part in ("gain", "bias"))
    return graph.node(
        "LayerNormalization",
        summed,
        gain,
        bias,
        out="embedded",
        options={"axis": -1, "epsilon": NORM_EPSILON},
    )


def joined(graph: Graph, product: str, x: str, *, at: str) -> str:
    """Residual, bias and layer normalisation in one node."""
    gain, shift = (graph.weight(f"{at}.norm.{part}", WIDTH) for part in ("gain", "bias"))
    bias = graph.weight(f"{at}.bias", WIDTH)
    inputs = (product, x, gain, shift, bias)
    return graph.node(
        "SkipLayerNormalization", *inputs, out=f"{at}.norm", options={"epsilon": NORM_EPSILON}
    )


def layer(graph: Graph, form: Float32 | Int8, x: str, mask: str, *, at: str) -> str:
    """One transformer layer."""
    heads = form.attention(graph, x, mask, at=at)
    product = form.product(graph, heads, at=f"{at}.attended", shape=(WIDTH, WIDTH))
    x = joined(graph, product, x, at=f"{at}.attended")

    product = form.product(graph, x, at=f"{at}.widened", shape=(WIDTH, INNER))
    bias = graph.weight(f"{at}.widened.bias", INNER)
    wide = graph.node("BiasGelu", product, bias, out=f"{at}.widened")
    product = form.product(graph, wide, at=f"{at}.narrowed", shape=(INNER, WIDTH))
    return joined(graph, product, x, at=f"{at}.narrowed")


def pooled(graph: Graph, x: str) -> None:
    """Adds the output: the mean over attended tokens, divided by its length."""
    weights = graph.node("Cast", "attention_mask", out="weights", options={"to": FLOAT})
    last, one = graph.constant("last", TensorProto.INT64, [2]), "one"
    column = graph.node("Unsqueeze", weights, last, out="column")
    kept = graph.node("Mul", x, column, out="kept")
    total = graph.node("ReduceSum", kept, one, out="total", options={"keepdims": 0})
    count = graph.node("ReduceSum", column, one, out="count", options={"keepdims": 0})
    mean = graph.node("Div", total, count, out="mean")
    norm = graph.node("ReduceL2", mean, out="norm", options={"axes": [1], "keepdims": 1})
    least = graph.constant("least", FLOAT, [SMALLEST_NORM])
    safe = graph.node("Max", norm, least, out="safe")
    graph.node("Div", mean, safe, out="embedding")


def model(form: Float32 | Int8) -> ModelProto:
    """The whole graph in one form."""
    graph = Graph()
    x = embedded(graph)
    mask = graph.node("Cast", "attention_mask", out="mask", options={"to": TensorProto.INT32})
    for number in range(LAYERS):
        x = layer(graph, form, x, mask, at=f"layer.{number}")
    pooled(graph, x)

    tokens = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])
        for name in ("input_ids", "attention_mask")
    ]
    vectors = [helper.make_tensor_value_info("embedding", FLOAT, ["batch", WIDTH])]
    versions = [helper.make_opsetid("", STANDARD_VERSION), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(
        helper.make_graph(graph.nodes, f"minilm-{form.name}", tokens, vectors, graph.initializers),
        producer_name="stratal",
        opset_imports=versions,
        ir_version=IR_VERSION,
    )


def main() -> None:
    """Write both forms and say how large they are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--to", type=Path, default=ASSETS, help="folder (default: %(default)s)")
    folder: Path = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    for form in (Float32(), Int8()):
        path = folder / f"minilm-{form.name}.onnx"
        path.write_bytes(model(form).SerializeToString())
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
