# One line a target; `make demo` and `make test` are all a new machine needs.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
TREE = $(or $(PYTORCH_SOURCE),fixtures/pytorch)
NAME = $(if $(PYTORCH_SOURCE),torch.softmax,torch.nn.functional.softcap)

.PHONY: demo test pythons lint types docs real survive fuzz schema bench wheel format clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV) && $(BIN)/pip install --quiet --upgrade pip && $(BIN)/pip install --quiet -e '.[dev]'
	@# As a wheel's installation does: where PYTHONDONTWRITEBYTECODE is set each process would compile all anew.
	$(BIN)/python -m compileall -q indexer torchtalk && touch $@

demo: $(VENV)/.installed  ## set up, index the embedded tree (or PYTORCH_SOURCE) and ask it
	$(BIN)/torchtalk index --pytorch-source "$(TREE)" --db $(VENV)/demo.db
	$(BIN)/torchtalk status --db $(VENV)/demo.db
	$(BIN)/torchtalk trace $(NAME) --db $(VENV)/demo.db
	@printf "\nA real tree:  %s index --pytorch-source DIR\nClaude Code:  claude mcp add torchtalk -s user -- %s mcp-serve --pytorch-source DIR\n" "$(abspath $(BIN))/torchtalk" "$(abspath $(BIN))/torchtalk"

test: $(VENV)/.installed  ## the fast tests
	@# Neighbours stay together, for they share what they index; what is compiled is kept, see above.
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow" tests/unit

pythons:  ## the same on the oldest and the newest Python that are here
	PYTHON=$(PYTHON) .ci/pythons

lint: $(VENV)/.installed
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

docs: $(VENV)/.installed  ## what the documentation names exists, and its commands run
	$(BIN)/python -m pytest -q tests/docs

real: $(VENV)/.installed  ## whole PyTorch trees: PYTORCH_SOURCE_2_6_0, PYTORCH_SOURCE_1_13_1
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder tests/real
	TORCHTALK_UPDATE_EXAMPLES=60 $(BIN)/python -m pytest -q -n 2 --dist loadfile tests/unit/update/test_update_equals_build.py \
		tests/unit/semantic/test_equals_build.py

survive: $(VENV)/.installed  ## kills, full disks, hostile trees, load, properties: minutes; prints the figures
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder tests/survive
	TORCHTALK_ALL_EXAMPLES=1 $(BIN)/python -m pytest -q -n auto -m "slow or hypothesis" tests/unit

bench: $(VENV)/.installed  ## start, calls and answers of an index: DB=FILE, PYTORCH_SOURCE=… measures the indexing too
	@test -n "$(DB)" || { echo "which index? make bench DB=FILE"; exit 2; }
	$(BIN)/python -m benchmarks --db "$(DB)" $(if $(PYTORCH_SOURCE),--pytorch-source "$(PYTORCH_SOURCE)")

fuzz: $(VENV)/.installed  ## damaged sources against the extractors: SECONDS=…, PYTORCH_SOURCE=…
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) --findings .fuzz

schema: $(VENV)/.installed  ## after a change of schema.sql, while its version is not released
	cp schema.sql migrations/0001_initial.sql && $(BIN)/python -m tests.data.make_schema_database

wheel: $(VENV)/.installed
	$(BIN)/python -m build --outdir dist .

format: $(VENV)/.installed
	$(BIN)/ruff check --fix . && $(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
