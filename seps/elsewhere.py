"""Names in the authors' code and in similar programs, mapped to the names used here (see assets/guide/names.md).

An error for an unknown key or option ends with the clause from these tables; `names_elsewhere` does the same for
arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

# The released code and guides to it: `seps.training` and `seps.models`.
TRAINING_KEYS = {
    "num_epochs": "epochs is meant",
    "lr": "learning_rate is meant",
    "warmup_alpha": "align_ramp_epochs is meant, the epochs over which it rises to 1",
    "embedding_warmup_epochs": "align_ramp_epochs is meant, 1 for its 0",
    "vse_mean_warmup_epochs": "hard_after is meant",
    "max_violation": "hard_after is meant, 0 for hardest negatives from the first epoch on",
    "grad_clip": "clip is meant",
    "lr_update": "lr_schedules is meant, the epochs at which the rate falls",
    "num_workers": "--workers of seps.train is meant, an option, no key",
    "sparse_ratio": "network.sparse_ratio is meant, outside training",
    "aggr_ratio": "network.aggr_ratio is meant, outside training",
}
TRAINING_OPTIONS = {
    "logger_name": "--out is meant",
    "data_path": "--data is meant",
    "f30k_img_path": "--images is meant",
    "coco_img_path": "--images is meant",
    "vit_type": "a recipe is meant that names the backbones, such as vit_base_patch16_224",
    "num_workers": "--workers is meant",
    "gpu_id": "the environment's CUDA_VISIBLE_DEVICES is meant",
    "multi_gpu": "accelerate launch -m seps.train is meant",
}
MODEL_METHODS = {
    "forward_sim": "model.cross_net(img_embs, cap_embs, cap_lens, dense_cap_embs, dense_cap_lens)",
    "forward_emb": "model.img_enc(images) and model.txt_enc(captions, lengths)",
    "criterion": "SEPSLoss, a separate module,",
    "set_max_violation": "SEPSLoss.set_max_violation",
    "freeze_backbone": "model.freeze_backbones",
}

# The published scorer: `seps.judge`.
JUDGE_KEYS = {
    "clip_model_name": "encoder.name is meant",
    "freeze": "encoder.freeze 'all' is meant",
    "partial_freeze": "encoder.freeze 'layers' is meant, with encoder.freeze_layers",
    "freeze_layers": "encoder.freeze_layers is meant",
    "use_residual_learning": "residual is meant",
    "residual_scale_q": "scale_q is meant",
    "residual_scale_c": "scale_c is meant",
    "use_two_branch": "branches 'two' is meant, with residual false",
    "use_refinement": "residual is meant; its bounded correction replaces the refinement",
}
JUDGE_TRAINING_KEYS = {
    "lr": "learning_rate is meant",
    "w_q": "quality_weight is meant",
    "w_c": "consistency_weight is meant",
    "warmup_ratio": "warmup is meant",
    "max_grad_norm": "clip is meant",
}
JUDGE_OPTIONS = {
    "num_epochs": "--epochs is meant",
    "freeze_clip": "--freeze all is meant",
    "partial_freeze": "--freeze with a number of layers is meant",
    "freeze_layers": "--freeze with a number of layers is meant",
    "use_residual_learning": "it is so where --no-residual is not given",
    "data_csv_path": "--data is meant, a folder with ratings.csv",
    "image_base_dir": "--data is meant, a folder with images/",
    "save_dir": "--out is meant",
    "num_workers": "none is needed: pictures are read by the process that trains",
    "device": "not needed: uses a GPU if available, else the CPU",
}

# The published generator: `seps.generator`.
GENERATOR_KEYS = {
    "embed_dim": "encoders.embed_size is meant",
    "use_simple_cnn": "encoders.vision 'simple' is meant, or the name of a timm model",
    "freeze_bert": "training.stages.freeze_text is meant, of each stage",
    "num_diffusion_steps": "diffusion.train_steps is meant",
    "max_text_length": "captioner.max_words is meant",
    "bert_model_name": "encoders.text is meant",
    "recon_weight": "training.reconstruction_weight is meant",
}
GENERATOR_ENCODER_KEYS = {
    "embed_dim": "embed_size is meant",
    "use_simple_cnn": "encoders.vision 'simple' is meant, or the name of a timm model",
    "freeze_bert": "training.stages.freeze_text is meant, of each stage",
    "pretrained": "encoders.vision_weights and encoders.text_weights are meant",
}
GENERATOR_TRAINING_KEYS = {
    "freeze_bert": "freeze_text is meant, of each of training.stages",
    "recon_weight": "reconstruction_weight is meant",
    "lr": "learning_rate is meant",
    "num_epochs": "epochs is meant, of each of training.stages",
    "epochs": "epochs is a key of each of training.stages",
    "warmup_epochs": "lr_warmup_epochs is meant",
    "embed_dim": "encoders.embed_size is meant, outside training",
    "use_simple_cnn": "encoders.vision 'simple' is meant, outside training",
}
STAGE_KEYS = {"freeze_bert": "freeze_text is meant", "lr": "learning_rate is meant"}
GENERATOR_OPTIONS = {
    "device": "not needed: uses a GPU if available, else the CPU",
    "num_workers": "none is needed: pictures are read once and kept as bytes, in the folder that --cache names",
    "data_path": "--data is meant",
    "output_dir": "--out is meant",
    "save_dir": "--out is meant",
}


def names_elsewhere(**here: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function reject arguments by the names they have in other code.

    Args:
        here: for each such name, the middle of the sentence "... is ... here".

    Returns:
        A decorator; the decorated function raises TypeError for those names.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name in here:
                    raise TypeError(f"{name} is {here[name]} here; assets/guide/names.md has all such names.")
            return function(*args, **kwargs)

        return checked

    return decorate
