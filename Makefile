# For GNU make >= 3.81 and a POSIX shell. All that is installed goes into .venv beside this file.

PYTHON :=
ARGS :=
unexport PYTHONHOME PYTHONPATH

.PHONY: help run test torture fidelity check bench screenshots format clean .base .dev

help: ## show this
	@echo 'crewcheck: time travel for CrewAI checkpoints'
	@echo
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "ARGS='...' passes arguments on, as in: make test ARGS='-n0 -k diff'"
	@echo "PYTHON=... names the Python (3.11 or newer) that a new .venv is made with"

run: .base ## try it: the app, on checkpoints that come with it
	@.venv/bin/crewcheck demo $(ARGS)

test: .dev ## run the tests, those with the real CrewAI too (in an environment of its own)
	@.venv/bin/python -m crewcheck.demo.environment >/dev/null
	unset VIRTUAL_ENV; .venv/bin/python -m pytest -n auto --maxprocesses 8 --dist loadfile $(ARGS)

torture: .dev ## the tests that take long: 100,000 examples of each property, huge files
	.venv/bin/python -m pytest -m torture -n auto --maxprocesses 8 $(ARGS)

fidelity: .dev ## resume and fork many programs at each checkpoint, and compare (half an hour; see ARGS)
	@.venv/bin/python -m crewcheck.demo.environment >/dev/null
	unset VIRTUAL_ENV; .venv/bin/python -m tests.fidelity $(ARGS)

check: .dev ## lint, formatting, types, import rules
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/lint-imports --no-logo

bench: .dev ## measure how fast it is, beside CrewAI where there is one
	.venv/bin/python -m tests.bench $(ARGS)

screenshots: .dev ## draw the pictures in the documentation anew
	.venv/bin/python -m tests.screenshots $(ARGS)

format: .dev ## format the code and repair what the linter can
	.venv/bin/ruff check --fix-only
	.venv/bin/ruff format

clean: ## remove .venv and all that was built or cached
	rm -rf .venv .venv.lock build dist
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find crewcheck tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Set-up. .base is what users install, .dev has the tools as well. What was installed is noted in
# .venv/.base and .venv/.dev, so that the next time costs next to nothing.
.base .dev:
	@PYTHON='$(PYTHON)' sh -c "$$MAKE_SETUP" $@

define MAKE_SETUP
want=$$0
say() { printf '%s\n' "$$@" >&2; }
die() { say "$$@"; exit 1; }

key=$$(cksum pyproject.toml constraints.txt; grep '^__version__' crewcheck/__init__.py; pwd)
noted() { [ "$$(cat ".venv/$$1" 2>/dev/null)" = "$$key" ]; }
ready() { [ -x .venv/bin/python ] && { noted .dev || { [ "$$want" = .base ] && noted .base; }; }; }
if ready; then exit; fi

# One at a time: "make -j", a second terminal.
[ -w . ] || die "Cannot make .venv: this folder is not writable."
told=''
until (set -C; echo $$$$ >.venv.lock) 2>/dev/null; do
    owner=$$(cat .venv.lock 2>/dev/null)
    if [ "$$owner" ] && ! kill -0 "$$owner" 2>/dev/null; then
        rm -f .venv.lock
        continue
    fi
    [ "$$told" ] || say "Waiting for a set-up of .venv under way (is there none? remove .venv.lock) ..."
    told=yes
    sleep 1
done
trap 'rm -f .venv.lock' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
if ready; then exit; fi

# Where pip gets packages from is the user's choice; where it puts them and which ones is not.
unset PIP_CONSTRAINT PIP_DRY_RUN PIP_EDITABLE PIP_IGNORE_INSTALLED PIP_NO_BUILD_ISOLATION PIP_NO_DEPS
unset PIP_PREFIX PIP_PYTHON PIP_REQUIREMENT PIP_REQUIRE_HASHES PIP_ROOT PIP_TARGET
export PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1

usable() {
    .venv/bin/python -I -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}
if [ -e .venv/.home ]; then
    # Made here: made anew after the folder was moved, the Python removed, or the set-up interrupted.
    { [ "$$(cat .venv/.home)" = "$$(pwd)" ] && usable; } || rm -rf .venv
elif [ -e .venv ] || [ -L .venv ]; then
    usable || die "There is a .venv without pip or without Python 3.11 or newer. Run 'make clean' first."
fi

if [ -e .venv ]; then
    say "Updating crewcheck in .venv ..."
else
    probe='import sys; print("%d.%d" % sys.version_info[:2]); assert sys.version_info >= (3, 11)'
    probe="$$probe; print('new'); import venv; from ensurepip import version; print('ready')"
    python='' bare='' seen=''
    set -- python3.11 python3.12 python3.13 python3.14 python3 python
    [ -z "$$PYTHON" ] || set -- "$$PYTHON"
    for name; do
        found=$$("$$name" -I -c "$$probe" 2>/dev/null)
        case $$found in
            *ready) python=$$name; break ;;
            *new) bare=$${bare:-$$name} ;;
            ?*) seen="$$seen $$name is $$found." ;;
        esac
    done
    with=$${python:-$$bare}
    if [ -z "$$with" ]; then
        [ -z "$$PYTHON" ] && command -v uv >/dev/null && with=uv ||
            die "crewcheck needs Python 3.11 or newer, and found none (tried: $$*).$$seen" \
                "Install one, or name it: make run PYTHON=/path/to/python3.12"
    fi
    say "Setting up crewcheck in .venv with $$with (about a minute, once) ..."
    mkdir .venv && pwd >.venv/.home || exit
    {
        if [ "$$python" ]; then
            "$$python" -I -m venv .venv
        elif [ "$$bare" ]; then
            # Debian's Python without python3-venv: its pip can do what ensurepip would.
            "$$bare" -I -m venv --without-pip .venv &&
                "$$bare" -I -m pip --python .venv/bin/python install pip
        else
            uv venv --seed --allow-existing --python '>=3.11,<3.15' .venv
        fi
    } >.venv/setup.log 2>&1 || {
        sed 's/^/    /' .venv/setup.log >&2
        rm -rf .venv
        die "$$with could not make a virtual environment; what it said is above. On Debian and Ubuntu" \
            "'apt install python3-venv' helps. Or name another: make run PYTHON=/path/to/python3.12"
    }
fi

rm -f .venv/.base .venv/.dev
extra=''
[ "$$want" = .base ] || extra='[dev]'
.venv/bin/python -I -m pip install -e ".$$extra" -c constraints.txt >.venv/setup.log 2>&1 || {
    tail -n 40 .venv/setup.log | sed 's/^/    /' >&2
    die "pip could not install what crewcheck needs; the end of what it said is above, all of it in" \
        ".venv/setup.log. Behind a proxy or with a package mirror of your own, set HTTPS_PROXY or" \
        "PIP_INDEX_URL. Then run make again."
}
# Compiled now, a start is quicker even where PYTHONDONTWRITEBYTECODE is set.
.venv/bin/python -I -m compileall -q crewcheck || true
printf '%s\n' "$$key" >".venv/$$want"
endef
export MAKE_SETUP
