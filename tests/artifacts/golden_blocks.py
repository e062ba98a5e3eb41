"""What the golden artifacts were asked for: losses and optimizers, in code that ORT's own onnxblock runs as it is, but for the imports."""

from __future__ import annotations

from artifacts_tool import artifacts, onnxblock


class TwoMSE(onnxblock.Block):
    """0.75 * MSE of one output + 0.25 * MSE of the other, each with a target of its own."""

    def __init__(self):
        super().__init__()
        self.la, self.lb = onnxblock.loss.MSELoss(), onnxblock.loss.MSELoss()
        self.wa, self.wb = onnxblock.blocks.Constant(0.75), onnxblock.blocks.Constant(0.25)
        self.mul, self.add = onnxblock.blocks.Mul(), onnxblock.blocks.Add()

    def build(self, a, c):
        return self.add(self.mul(self.wa(), self.la(a, target_name="target_a")), self.mul(self.wb(), self.lb(c, target_name="target_b")))


# name: (loss, optimizer), made when they are used
ASKED = {
    "mlp_ce_adamw_frozen": lambda: (artifacts.LossType.CrossEntropyLoss, artifacts.OptimType.AdamW),
    "mlp_mse_sgd": lambda: (artifacts.LossType.MSELoss, artifacts.OptimType.SGD),
    "mlp_bce_adamw_sched": lambda: (
        artifacts.LossType.BCEWithLogitsLoss,
        onnxblock.optim.AdamW(weight_decay=0.05, betas=(0.85, 0.99), eps=1e-5),
    ),
    "mlp_l1_sgd_accum": lambda: (artifacts.LossType.L1Loss, artifacts.OptimType.SGD),
    "dwconv_relu6_gap": lambda: (artifacts.LossType.CrossEntropyLoss, onnxblock.optim.AdamW(eps=1e-3)),
    "mlp_dropout0": lambda: (artifacts.LossType.MSELoss, artifacts.OptimType.AdamW),
    "custom_two_mse": lambda: (TwoMSE(), artifacts.OptimType.AdamW),
    "cnn_bn_pool_ce": lambda: (artifacts.LossType.CrossEntropyLoss, artifacts.OptimType.AdamW),
    "attention_block": lambda: (artifacts.LossType.MSELoss, artifacts.OptimType.AdamW),
    "mlp_clipgrad": lambda: (artifacts.LossType.CrossEntropyLoss, onnxblock.optim.AdamW(clip_grad=onnxblock.optim.ClipGradNorm(0.05))),
}
