#!/usr/bin/env python3
"""campaign.py BUILD [HOURS] [--seed N] [--only CLASS] [--ledger FILE]: fills the time with tests of every class in turn.

Each task is one command with a seed of its own, and its line repeats it. A task finds something when it ends with
another exit status than 0, says that a case failed, or does not end in time; what it printed is kept in
BUILD/campaign/findings. Afterwards FILE gets an entry: date, commit, machine, seed, cases by class, findings.
Exit status 1 when anything was found.

What cannot be run here is named, with the reason, and is no case."""
import argparse
import concurrent.futures
import datetime
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TASK_SECONDS = 600  # a task that takes longer hangs
FUZZ_SECONDS = 20
TARGETS = ("text", "pto", "npy", "tuning", "network", "disk", "record", "object")
CHAINS = (
    "conv2d|fixpipe",
    "conv2d|tik_fixpipe",
    "mmad|fixpipe",
    "mmad|tik_fixpipe",
    "conv2d|tensor_arithmetic|fixpipe",
    "mmad|tensor_arithmetic|fixpipe",
    "conv2d|tensor_arithmetic|tensor_arithmetic|fixpipe",
)


class Host:
    """Where the programs are, and what of them this machine can run."""

    def __init__(self, build):
        self.build = build
        self.place = build / "campaign"
        self.findings = self.place / "findings"
        self.findings.mkdir(parents=True, exist_ok=True)
        self.tool = build / "aicjit"
        self.bytes = build / "fuzz" / "aicjit-bytes"
        choices = subprocess.run([self.tool, "help", "choices"], capture_output=True, text=True).stdout
        self.profiles = re.findall(r"^  ([a-z0-9_]+)  ", choices.partition("\nprofiles,")[2], re.MULTILINE)
        emulator = build / "libaicjit-emulate.so"
        amx = {"AIC_MAX_ISA": "amx", "LD_PRELOAD": str(emulator)}
        self.emulation = None
        if emulator.exists() and self.status("info", **amx) == 0 and self.status("info", AIC_MAX_ISA="amx") != 0:
            self.emulation = amx
        self.namespaces = subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode == 0

    def status(self, *arguments, **environment):
        done = subprocess.run([self.tool, *arguments], env={**os.environ, **environment}, capture_output=True)
        return done.returncode


class Task:
    """A command, what is set in its environment, and how its output says how many cases there were."""

    cases = staticmethod(lambda text: sum(map(int, re.findall(r"^(\d+) passed, \d+ failed$", text, re.MULTILINE))))

    def __init__(self, command, environment=None, cases=None, seconds=TASK_SECONDS):
        self.command = [str(word) for word in command]
        self.environment = environment or {}
        self.cases = cases or Task.cases
        self.seconds = seconds

    def line(self):
        words = [f"{name}={value}" for name, value in self.environment.items()]
        return " ".join(words + [f"'{word}'" if re.search(r"[^\w./=-]", word) else word for word in self.command])


def executed(text):
    return sum(map(int, re.findall(r"^stat::number_of_executed_units: (\d+)$", text, re.MULTILINE)))


# ---- classes: a function from host, seed and number of the turn to a task, or to None where the host has nothing of it --


def check(host, seed, count, *more, environment=None):
    return Task([host.tool, "check", "--fuzz", count, "--seed", seed, *more], environment)


def operators(host, seed, turn):
    """Random operators of every kind, at every level that runs here, under the defaults and under other semantics."""
    others = ([], ["--limits", "host"], ["--overflow", "ieee"], ["--rounding", "half_up"], ["--threads", "3"])
    return check(host, seed, 150, "--isa", "all", *others[turn % len(others)])


def emulated(host, seed, turn):
    """The same at the levels of matrix units, under the repository's emulator."""
    return host.emulation and check(host, seed, 50, environment=host.emulation)


def schedules(host, seed, turn):
    """Every candidate of the schedule."""
    return check(host, seed, 12, "--schedule", "all")


def profiles(host, seed, turn):
    """What the documents leave open, as each profile reads it."""
    return host.profiles and check(host, seed, 100, "--profile", host.profiles[turn % len(host.profiles)])


def chains(host, seed, turn):
    """Random chains, as one kernel each."""
    return check(host, seed, 100, "--op", CHAINS[turn % len(CHAINS)], "--isa", "all")


def metamorphic(host, seed, turn):
    """Convolutions too large for the reference, held against each other."""
    return Task([host.build / "aicjit-metamorphic", seed, 12])


def storm(name, rounds):
    def make(host, seed, turn):
        folder = tempfile.mkdtemp(prefix=name, dir=host.place)
        return Task([host.build / "aicjit-storms", name, seed, rounds, folder])

    make.__doc__ = f"tests/campaign/storms.c, {name}"
    return make


def forks(host, seed, turn):
    """Forks and exits while threads make the first kernel of a process."""
    kinds = ("late", "early", "profile", "exit")
    rounds = 50

    def cases(text):
        return rounds if re.search(r"^0 of \d+ rounds failed$", text, re.MULTILINE) else 0

    folder = tempfile.mkdtemp(prefix="forks", dir=host.place)
    return Task([host.build / "aicjit-forks", kinds[turn % 4], rounds], {"JITDUMPDIR": folder}, cases)


def faults(host, seed, turn):
    """Every allocation and every system call fails once: numbered, so that one turn has all."""
    return Task([host.build / "aicjit-faults"]) if turn == 0 else None


def full_disk(host, seed, turn):
    """A disk cache, dumps and results on a file system of 96 KiB, in a name space of its own."""
    script = """mount -t tmpfs -o size=96k none "$1" && cd "$1" || exit 77
        passed=0 failed=0
        for i in 1 2 3 4 5 6 7 8; do
            spec="conv2d(dtype=int8, fm_shape=[1,9,$((i + $2 % 50)),32], kernel_shape=[1,3,3,32,32])"
            env AIC_CACHE=rw AIC_CACHE_DIR="$1/cache" "$0" check "$spec" >/dev/null 2>&1
            [ $? -eq 0 ] && passed=$((passed + 1)) || failed=$((failed + 1))
            "$0" run "$spec" --out "dst=$1/$i.npy" >/dev/null 2>&1
            case $? in 0 | 3) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) ;; esac
        done
        echo "$passed passed, $failed failed"; [ $failed -eq 0 ]"""
    if not host.namespaces:
        return None
    folder = tempfile.mkdtemp(prefix="full", dir=host.place)
    return Task(["unshare", "-rm", "bash", "-c", script, host.tool, folder, seed])


def read_bytes(host, seed, turn):
    """Texts and files that libFuzzer mutates by the code that they reach; corpora stay in BUILD/campaign/corpus."""
    if not host.bytes.exists():
        return None
    target = TARGETS[turn % len(TARGETS)]
    corpus = host.place / "corpus" / target
    command = [host.bytes, f"-seed={seed % 2**31 + 1}", f"-max_total_time={FUZZ_SECONDS}", "-print_final_stats=1",
               "-verbosity=0", "-timeout=20", "-rss_limit_mb=2048", "-max_len=65536",
               f"-artifact_prefix={host.findings}/{target}-", corpus]
    environment = {"AIC_TARGET": target, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1"}
    return Task(command, environment, executed)


CLASSES = {
    "operators": operators,
    "emulated": emulated,
    "chains": chains,
    "bytes": read_bytes,
    "schedules": schedules,
    "calls": storm("calls", 100),
    "profiles": profiles,
    "metamorphic": metamorphic,
    "kills": storm("kills", 60),
    "forks": forks,
    "contexts": storm("contexts", 40),
    "signals": storm("signals", 40),
    "cancels": storm("cancels", 60),
    "full disk": full_disk,
    "faults": faults,
}


# ---- seeds of corpora ----


def plant(host):
    """What mutation begins with: real texts, and real files, made by the tool."""
    for target in TARGETS:
        (host.place / "corpus" / target).mkdir(parents=True, exist_ok=True)

    def keep(target, name, content):
        (host.place / "corpus" / target / name).write_bytes(content)

    lines = [line for path in sorted((ROOT / "tests" / "corpus").glob("*.txt")) for line in
             path.read_text().splitlines() if line and not line.startswith("#")]
    for number, line in enumerate(lines[::7]):
        keep("text", f"corpus-{number}", line.encode())
    keep("pto", "program", b".arg %a : f32\npto.texpands ins(%a : f32) outs(%t : !pto.tile<loc=vec, 16, 16, f32>)\n")
    keep("npy", "header", b"\x93NUMPY\x01\x00v\x00{'descr': '|i1', 'fortran_order': False, 'shape': (1, 2, 3), }"
         + b" " * 58 + b"\n" + bytes(6))
    spec = "conv2d(dtype=int8, fm_shape=[1,6,6,32], kernel_shape=[1,3,3,32,32])"
    keep("network", "network", f"# aicjit network, version 1\ninput x int8 [1,6,6,32]\ninput w int8 [1,3,3,32,32]\n"
         f"buffer y int32 [2,16,16]\nkernel {spec} : dst=y feature_map=x weight=w\noutput y\n".encode())
    with tempfile.TemporaryDirectory(dir=host.place) as folder:
        environment = {**os.environ, "AIC_CACHE": "rw", "AIC_CACHE_DIR": f"{folder}/cache", "AIC_DUMP_DIR": ""}
        environment.pop("AIC_DUMP_DIR")
        for text in lines[::40]:
            subprocess.run([host.tool, "run", text], env=environment, capture_output=True)
        for number, path in enumerate(sorted(pathlib.Path(folder, "cache").glob("*.*"))[:60]):
            if path.stat().st_size < 60000:
                keep("disk", f"file-{number}", path.read_bytes())
                begin = path.read_bytes().find(b"AICR")
                if begin >= 0:
                    keep("record", f"record-{number}", path.read_bytes()[begin:begin + 600])
        subprocess.run([host.tool, "dump", spec, "--stage", "obj", "-o", f"{folder}/kernel.o"], capture_output=True)
        if pathlib.Path(folder, "kernel.o").exists():
            keep("object", "kernel", pathlib.Path(folder, "kernel.o").read_bytes())
        subprocess.run([host.tool, "tune", spec, "--budget", "0.2", "--db", f"{folder}/tuning"], capture_output=True)
        if pathlib.Path(folder, "tuning").exists():
            keep("tuning", "file", pathlib.Path(folder, "tuning").read_bytes())


# ---- running ----


class Campaign:
    def __init__(self, host, names, seed, end):
        self.host, self.names, self.seed, self.end = host, names, seed, end
        self.cases = dict.fromkeys(names, 0)
        self.turns = dict.fromkeys(names, 0)
        self.absent, self.findings = set(), []
        self.lock, self.next = threading.Lock(), 0

    def take(self):
        """The next task: classes in turn, without those that have none here; None when time is up."""
        with self.lock:
            for _ in self.names:
                name = self.names[self.next % len(self.names)]
                self.next += 1
                turn = self.turns[name]
                self.turns[name] += 1
                task = self.make(name, turn) if time.time() < self.end else None
                if task:
                    return name, task
                if turn == 0 and time.time() < self.end:
                    self.absent.add(name)
            return None

    def make(self, name, turn):
        return CLASSES[name](self.host, self.seed + self.next * 1000003, turn)

    def work(self):
        while (taken := self.take()) is not None:
            name, task = taken
            wrong, text = self.run(task)
            with self.lock:
                self.cases[name] += task.cases(text)
                if wrong:
                    self.find(name, task, wrong, text)
            for word in task.command:  # folders that were made for this task
                if word.startswith(str(self.host.place)) and "/corpus/" not in word:
                    shutil.rmtree(word, ignore_errors=True)

    def run(self, task):
        environment = {"AIC_CACHE": "off", **os.environ, **task.environment}
        try:
            done = subprocess.run(task.command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, timeout=task.seconds)
        except subprocess.TimeoutExpired as late:
            return f"no end within {task.seconds} s", (late.stdout or b"").decode(errors="replace")
        text = done.stdout.decode(errors="replace")
        if done.returncode != 0:
            return f"exit status {done.returncode}", text
        return ("" if task.cases(text) > 0 else "it ran no case"), text

    def find(self, name, task, wrong, text):
        path = self.host.findings / f"{name.replace(' ', '-')}-{len(self.findings)}-{os.getpid()}.txt"
        path.write_text(f"{task.line()}\n{wrong}\n\n{text}")
        self.findings.append((name, task.line(), wrong))
        print(f"FOUND {name}: {wrong}\n  repeat: {task.line()}\n  output: {path}", flush=True)

    def progress(self):
        with self.lock:
            counts = ", ".join(f"{name} {count:,}" for name, count in self.cases.items() if count)
        print(f"{max(0, self.end - time.time()) / 60:.0f} minutes left; {counts}; {len(self.findings)} found", flush=True)


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text() if os.path.exists("/proc/cpuinfo") else ""
    fields = {key: re.search(rf"^{key}\s*:\s*(.*)$", text, re.MULTILINE) for key in ("model name", "cpu family", "model")}
    told = " ".join(found.group(1) for found in fields.values() if found) or platform.machine()
    return f"{told}, {len(os.sched_getaffinity(0))} processors"


def commit():
    """The commit, with "+" where the working tree differs."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()

    return (git("rev-parse", "--short=10", "HEAD") or "no repository") + ("+" if git("status", "--porcelain", "-uno") else "")


def entry(campaign, begun, seconds):
    """An entry of the ledger."""
    lines = [f"\n## {begun:%Y-%m-%d %H:%M} UTC, {commit()}", "",
             f"{machine()}; {seconds / 3600:.2f} hours; seed {campaign.seed}", "", "| class | cases |", "|---|---|"]
    lines += [f"| {name} | {count:,} |" for name, count in campaign.cases.items() if name not in campaign.absent]
    lines += ["", "Not run here: " + (", ".join(sorted(campaign.absent)) or "nothing") + ".", ""]
    lines += [f"Findings: {len(campaign.findings) or 'none'}."]
    lines += [f"\n- {name}: {wrong}: `{line}`" for name, line, wrong in campaign.findings]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("hours", type=float, nargs="?", default=1.0)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**40)
    parser.add_argument("--only", choices=CLASSES, action="append")
    parser.add_argument("--ledger", type=pathlib.Path, default=HERE / "LEDGER.md")
    options = parser.parse_args()
    if not 0 < options.hours <= 1000:
        parser.error(f"hours: {options.hours:g} is not within 0 and 1000")
    host = Host(options.build.resolve())
    begun, start = datetime.datetime.now(datetime.timezone.utc), time.time()
    names = options.only or list(CLASSES)
    if host.bytes.exists() and "bytes" in names:
        plant(host)
    campaign = Campaign(host, names, options.seed, start + options.hours * 3600)
    print(f"seed {options.seed}", flush=True)
    workers = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(campaign.work) for _ in range(workers)]
        while concurrent.futures.wait(running, timeout=60).not_done:
            campaign.progress()
        for one in running:
            one.result()
    campaign.progress()
    with options.ledger.open("a") as ledger:
        ledger.write(entry(campaign, begun, time.time() - start))
    print(f"{sum(campaign.cases.values())} passed, {len(campaign.findings)} failed")
    return bool(campaign.findings)


if __name__ == "__main__":
    sys.exit(main())
