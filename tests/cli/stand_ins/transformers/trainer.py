"""The Trainer, as far as train.py goes by it: one process, plain steps, callbacks, evaluations, checkpoints."""

import contextlib
import json
import types
from pathlib import Path

import torch

from transformers.trainer_callback import PrinterCallback


class TrainingArguments:
    def __init__(self, **chosen):
        self.__dict__.update({"eval_strategy": "no", "eval_steps": 0, **chosen})

    @contextlib.contextmanager
    def main_process_first(self, desc):
        yield


class Trainer:
    is_fsdp_enabled = False

    def __init__(self, model, args, train_dataset, eval_dataset, data_collator, callbacks):
        assert (eval_dataset is not None) == (args.eval_strategy == "steps")
        self.model, self.args, self.collate = model, args, data_collator
        self.rows, self.held_out = list(train_dataset), list(eval_dataset or [])
        self.callbacks = [PrinterCallback(), *callbacks]
        self.state = types.SimpleNamespace(global_step=0, max_steps=args.max_steps,
                                           save_to_json=lambda path: Path(path).write_text(json.dumps({"global_step": self.state.global_step})))
        self.control = types.SimpleNamespace(should_save=False, should_training_stop=False)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)

    def remove_callback(self, kind):
        self.callbacks = [one for one in self.callbacks if not isinstance(one, kind)]

    def tell(self, event, **more):
        for one in self.callbacks:
            getattr(one, event)(self.args, self.state, self.control, **more)

    def is_world_process_zero(self):
        return True

    def batches(self, rows, size):
        return [self.collate(rows[at:at + size]) for at in range(0, len(rows) - size + 1, size)]

    def save(self):
        folder = Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}"
        folder.mkdir(parents=True)
        torch.save({"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}, folder / "state.pt")
        self.state.save_to_json(folder / "trainer_state.json")  # last
        self.control.should_save = False
        self.tell("on_save")

    def evaluate(self):
        with torch.no_grad():
            losses = [self.model(**batch).loss.item() for batch in self.batches(self.held_out, 1)]
        self.tell("on_evaluate", metrics={"eval_loss": sum(losses) / len(losses)})

    def train(self, resume_from_checkpoint):
        args = self.args
        if resume_from_checkpoint:
            state = torch.load(Path(resume_from_checkpoint) / "state.pt")
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.state.global_step = int(resume_from_checkpoint.rpartition("-")[2])
        self.tell("on_train_begin")
        passes = args.gradient_accumulation_steps
        batches = self.batches(self.rows, args.per_device_train_batch_size)
        while self.state.global_step < args.max_steps and not self.control.should_training_stop:
            step = self.state.global_step
            for number in range(step * passes, (step + 1) * passes):
                loss = self.model(**batches[number % len(batches)]).loss / passes
                loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), args.max_grad_norm)
            self.optimizer.step()
            self.optimizer.zero_grad()
            self.state.global_step += 1
            self.tell("on_step_end")
            if self.state.global_step % args.logging_steps == 0:
                self.tell("on_log", logs={"loss": loss.item() * passes, "grad_norm": norm.item()})
            if args.eval_strategy == "steps" and self.state.global_step % args.eval_steps == 0:
                self.evaluate()
            if self.control.should_save or self.state.global_step % args.save_steps == 0:
                self.save()
        self.tell("on_log", logs={"train_loss": 0.0})

    def save_model(self, folder):
        self.model.save_pretrained(folder, self.model.state_dict())
