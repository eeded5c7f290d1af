"""Fine-tunes or trains a transformer with the Trainer of transformers: all weights, LoRA or QLoRA (peft).

Started by accelerate (accelerate.yaml) or torchrun (ds_config.json). Goes on from the newest checkpoint, saves one when
it is asked to stop, and leaves the model, or its adapter, in $GPUPLAN_RUN_DIR/final."""
import contextlib
import os

import torch

from phase_parts import HERE, RUN_DIR, SETTINGS, give_up, model_source
from run_parts import CHECKPOINTS, LOCAL_RANK, WORLD, StepLog, StopRequest, device_name, mark_stopped, say

if SETTINGS["unsloth"]:
    import unsloth  # before transformers, which it changes
from transformers import (AutoConfig, AutoModelForCausalLM, AutoTokenizer, Trainer, TrainerCallback, TrainingArguments,
                          set_seed)
from transformers.trainer_callback import PrinterCallback
from transformers.trainer_utils import get_last_checkpoint

import data_sources
import reports
import training_data

SOURCE = model_source(SETTINGS["model"])
METHOD = SETTINGS["method"]
TYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16,
         "fp8": torch.bfloat16}


def load_model():
    """Weights that learn in the precision of the optimizer, frozen ones in 16 bit or, for QLoRA, in 4 bit (nf4)."""
    frozen = METHOD in ("lora", "qlora")
    kind = {
        # DeepSpeed keeps the precise copy itself.
        "dtype": TYPES[SETTINGS["precision"] if frozen or SETTINGS["deepspeed"] else SETTINGS["master_weights"]],
        "attn_implementation": SETTINGS["attention"]["implementation"],
    }
    if SETTINGS["model"]["config"] is not None:
        config = dict(SETTINGS["model"]["config"])
        config = AutoConfig.for_model(config.pop("model_type"), **config)
    else:
        config = AutoConfig.from_pretrained(SOURCE)
    if SETTINGS["from_scratch"]:
        return AutoModelForCausalLM.from_config(config, **kind)
    if METHOD == "qlora":
        from transformers import BitsAndBytesConfig
        kind["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=False,
            bnb_4bit_compute_dtype=TYPES[SETTINGS["precision"]], bnb_4bit_quant_storage=TYPES[SETTINGS["precision"]])
        if SETTINGS["sharding"] == "none":
            kind["device_map"] = {"": LOCAL_RANK}
    return AutoModelForCausalLM.from_pretrained(SOURCE, **kind)


def load_unsloth():
    """Its own kernels; full training, or adapters beside 16-bit or 4-bit weights. Several GPUs hold copies (DDP)."""
    lora, full = SETTINGS["lora"], METHOD == "full"
    place = {"device_map": {"": LOCAL_RANK}} if WORLD > 1 else {}  # else its layers go to the GPUs in turn
    if full:  # else it trains all weights in 16 bit, whatever the plan counts
        place["float32_mixed_precision"] = SETTINGS["master_weights"] == "fp32"
    model, _ = unsloth.FastLanguageModel.from_pretrained(
        model_name=SOURCE, max_seq_length=SETTINGS["sequence"], dtype=TYPES[SETTINGS["precision"]],
        load_in_4bit=METHOD == "qlora", full_finetuning=full, **place)
    if full:
        return model
    every = ["q_proj", "k_proj", "v_proj", "o_proj"]
    if "experts" not in lora["pattern"]:  # else it would take routed experts, which have the same names, too
        every += ["gate_proj", "up_proj", "down_proj"]
    model = unsloth.FastLanguageModel.get_peft_model(
        model, r=lora["rank"], lora_alpha=lora["alpha"], lora_dropout=lora["dropout"], use_rslora=lora["rslora"],
        target_modules=lora["targets"] or every,
        use_gradient_checkpointing="unsloth" if SETTINGS["recompute"] != "none" else False,
        random_state=int(SETTINGS["seed"]))
    # It may have taken a copy of the weights in 4 bit: what merges or asks the adapters later takes those of the plan.
    model.peft_config["default"].base_model_name_or_path = SOURCE
    return model


def with_adapters(model):
    from peft import LoraConfig, get_peft_model
    # Not prepare_model_for_kbit_training(): it makes embeddings and norms 32 bit wide (2 GB more of 8B), which the plan
    # does not count and FSDP does not join with the 16-bit rest. What it does else, peft and the Trainer do.
    if SETTINGS["recompute"] != "none":
        model.enable_input_require_grads()
    lora = SETTINGS["lora"]
    targets = lora["pattern"] or lora["targets"] or "all-linear"
    model = get_peft_model(model, LoraConfig(r=lora["rank"], lora_alpha=lora["alpha"], lora_dropout=lora["dropout"],
                                             use_rslora=lora["rslora"], use_dora=lora["dora"], target_modules=targets,
                                             task_type="CAUSAL_LM"))
    model.print_trainable_parameters()
    return model


class Lines(TrainerCallback):
    """Prints a line for each step or few, and stops the run with a checkpoint when it is asked to."""

    def __init__(self):
        self.stop = StopRequest()
        self.log = StepLog()
        self.stopped = False
        self.seen = 0

    def on_train_begin(self, args, state, control, **kwargs):
        self.log.restart()
        self.seen = state.global_step

    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" not in (logs or {}):
            return
        per_gpu = SETTINGS["micro_batch"] * SETTINGS["grad_accum"] * SETTINGS["mean_tokens"]
        self.log.tokens = (state.global_step - self.seen) * per_gpu
        self.seen = state.global_step
        self.log.line(state.global_step, logs["loss"], float(logs.get("grad_norm") or 0.0))

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if "eval_loss" in (metrics or {}):
            say(f"validate step: {state.global_step:2}  loss: {metrics['eval_loss']:8.5f}")
        self.log.restart()
        self.seen = state.global_step

    def on_save(self, args, state, control, **kwargs):
        self.log.restart()
        self.seen = state.global_step

    def on_step_end(self, args, state, control, **kwargs):
        if self.stop.everywhere() and state.global_step < state.max_steps:
            self.stopped = True
            control.should_save = control.should_training_stop = True
        return control


def arguments():
    precision = SETTINGS["precision"]
    chosen = {
        "output_dir": str(CHECKPOINTS),
        "per_device_train_batch_size": SETTINGS["micro_batch"],
        "gradient_accumulation_steps": SETTINGS["grad_accum"],
        "max_steps": SETTINGS["steps"],
        "learning_rate": SETTINGS["learning_rate"],
        "weight_decay": SETTINGS["weight_decay"],
        "warmup_steps": SETTINGS["warmup_steps"],
        "lr_scheduler_type": "cosine",
        "max_grad_norm": SETTINGS["grad_clip"],
        "optim": SETTINGS["optim"],
        "bf16": precision in ("bf16", "fp8"),
        "fp16": precision == "fp16",
        "tf32": precision == "tf32" or None,
        "gradient_checkpointing": SETTINGS["trainer_recomputes"],  # else FSDP does, by its own wrapper (accelerate.yaml)
        "gradient_checkpointing_kwargs": {"use_reentrant": False},
        "torch_compile": SETTINGS["compile"],
        "logging_steps": SETTINGS["log_steps"],
        "save_strategy": "steps",
        "save_steps": SETTINGS["checkpoint_steps"],
        "save_total_limit": SETTINGS["keep_checkpoints"] or None,
        "report_to": reports.chosen(),
        "run_name": os.environ.get("WANDB_NAME", SETTINGS["run_name"]),
        "logging_dir": str(reports.FOLDER),
        "disable_tqdm": True,
        # Experts that no token of a rank goes to.
        "ddp_find_unused_parameters": SETTINGS["unused_weights"],
        "dataloader_num_workers": 2,
        "dataloader_drop_last": True,
        "remove_unused_columns": False,
        "label_names": ["labels"],  # adapters hide from it what the model takes
        "seed": SETTINGS["seed"],
        # The others wait while the first process of a machine makes tokens of all rows.
        "ddp_timeout": 180000000,
    }
    if data_sources.evaluates():
        chosen |= {"eval_strategy": "steps", "eval_steps": SETTINGS["eval_steps"], "prediction_loss_only": True,
                   "per_device_eval_batch_size": 1}  # whole batches only: with more of them few rows may be none
    if SETTINGS["deepspeed"]:
        chosen["deepspeed"] = str(HERE / "ds_config.json")
    chosen.update(SETTINGS["arguments"])
    return TrainingArguments(**chosen)


def trainer_columns(pieces, separate):
    names = ("tokens", "labels", "positions")[:3 if separate else 2]
    return {name: [piece[at] for piece in pieces] for at, name in enumerate(names)}


def main():
    set_seed(SETTINGS["seed"])
    args = arguments()  # before the model: it sets up DeepSpeed, which loads weights in parts
    tokenizer = AutoTokenizer.from_pretrained(os.environ.get("TOKENIZER") or SOURCE)
    pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else (tokenizer.eos_token_id or 0)
    # Data before the model: what is wrong with them is told in seconds.
    with args.main_process_first(desc="reading data"):
        rows, held_out = data_sources.load_both(streaming=False)
        training_data.prepared(rows, tokenizer)
        rows = training_data.tokens_of(rows, tokenizer, trainer_columns)
        training_data.tell_epochs(rows)
        if held_out is not None:  # rows by themselves: few may fill no sequence
            held_out = training_data.tokens_of(held_out, tokenizer, trainer_columns, packing=False, what="evaluation")
    model = load_unsloth() if SETTINGS["unsloth"] else load_model()
    model.config.use_cache = False
    if METHOD in ("lora", "qlora") and not SETTINGS["unsloth"]:
        model = with_adapters(model)

    def collate(chosen):
        made = training_data.batch([tuple(row[name] for name in ("tokens", "labels", "positions") if name in row)
                                    for row in chosen], pad)
        return {name: torch.tensor(values) for name, values in made.items()}

    lines = Lines()
    trainer = Trainer(model=model, args=args, train_dataset=rows, eval_dataset=held_out, data_collator=collate,
                      callbacks=[lines])
    trainer.remove_callback(PrinterCallback)
    CHECKPOINTS.mkdir(parents=True, exist_ok=True)
    newest = get_last_checkpoint(str(CHECKPOINTS))
    say(f"{device_name()} x {WORLD}, {SETTINGS['steps']} steps of {SETTINGS['batch']} "
        f"sequences: {SETTINGS['micro_batch']} x {SETTINGS['grad_accum']} passes x {WORLD} ranks"
        + (f"; resumed from {os.path.basename(newest)}" if newest else ""))
    to_host = SETTINGS["offload"]["activations"]
    with torch.autograd.graph.save_on_cpu(pin_memory=True) if to_host else contextlib.nullcontext():
        trainer.train(resume_from_checkpoint=newest)
    if lines.stopped:
        mark_stopped(trainer.state.global_step)
    else:
        if trainer.is_fsdp_enabled:
            trainer.accelerator.state.fsdp_plugin.set_state_dict_type("FULL_STATE_DICT")
        trainer.save_model(str(RUN_DIR / "final"))
        if trainer.is_world_process_zero():
            tokenizer.save_pretrained(RUN_DIR / "final")
            trainer.state.save_to_json(str(RUN_DIR / "trainer_state.json"))
    lines.log.end()


if __name__ == "__main__":
    main()
