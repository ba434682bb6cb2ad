#!/usr/bin/env python3
"""campaign.py BUILD [HOURS] [OPTION]...: fills the time with tests of every class, each of which gets its share of it.

Each task is one command with a seed of its own, and its line, in the repository's root, repeats it; what failed in it has
a line of its own where the program prints one. A task finds something when it ends with another exit status than 0, ran no
case, or does not end; what it printed is kept in PLACE/findings. Afterwards FILE gets an entry: date, commit,
machine, seed, cases by class, findings. Exit status 1 when anything was found.

What cannot be run here is named, with the reason, and is no case. An interrupt ends the campaign; what was done is told."""
import argparse
import concurrent.futures
import datetime
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FUZZ_SECONDS = 20
FIRST_SECONDS = 15  # what a class's first task is taken to last
SMOKE = 1 / 30  # of the cases of a task
FOLDER = "$(mktemp -d)"  # in a command: a folder of the task's own
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


def from_root(path):
    """As a command in the repository's root names it."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


class Host:
    """Where the programs are, and what of them this machine can run."""

    def __init__(self, build, place, smoke):
        self.build, self.place, self.smoke = from_root(build), from_root(place), smoke
        self.findings = self.place / "findings"
        (ROOT / self.findings).mkdir(parents=True, exist_ok=True)
        self.tool = self.build / "aicjit"
        self.fuzzer = self.build / "fuzz" / "aicjit-bytes"
        choices = subprocess.run([self.tool, "help", "choices"], capture_output=True, text=True, cwd=ROOT).stdout
        self.profiles = re.findall(r"^  ([a-z0-9_]+)  ", choices.partition("\nprofiles,")[2], re.MULTILINE)
        emulator = self.build / "libaicjit-emulate.so"
        amx = {"AIC_MAX_ISA": "amx", "LD_PRELOAD": str(emulator)}
        self.emulation = None
        if (ROOT / emulator).exists() and self.plans(**amx) and not self.plans(AIC_MAX_ISA="amx"):
            self.emulation = amx
        mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/tmp"]
        self.namespaces = bool(shutil.which("unshare")) and subprocess.run(mount, capture_output=True).returncode == 0

    def plans(self, **environment):
        """Whether the tool accepts an environment; `info` would, besides, measure the machine for half a second."""
        command = [self.tool, "explain", "tensor_arithmetic(op=BM_ADD, shape=[1,1,1,4])"]
        return subprocess.run(command, env=environment_of(environment), cwd=ROOT, capture_output=True).returncode == 0

    def count(self, cases):
        return max(1, round(cases * SMOKE)) if self.smoke else cases


def environment_of(more):
    """The caller's, without what would make a task another one."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("AIC_")}, "AIC_CACHE": "off", **more}


def sums(text):
    return sum(map(int, re.findall(r"^(\d+) passed, \d+ failed$", text, re.MULTILINE)))


def executed(text):
    return sum(map(int, re.findall(r"^stat::number_of_executed_units: (\d+)$", text, re.MULTILINE)))


class Task:
    """A command, what is set in its environment, and how its output says how many cases there were."""

    def __init__(self, command, environment=None, cases=sums):
        self.command = [str(word) for word in command]
        self.environment = {"AIC_CACHE": "off", **(environment or {})}
        self.cases = cases

    def line(self):
        def quoted(word):
            return f'"{word}"' if word == FOLDER else f"'{word}'" if re.search(r"[^\w./=:,+-]", word) else word

        return " ".join([f"{name}={quoted(value)}" for name, value in self.environment.items()] + list(map(quoted, self.command)))

    def run(self, place, limit, running):
        """What is wrong, and what it printed."""
        folder = tempfile.mkdtemp(dir=ROOT / place) if FOLDER in [*self.command, *self.environment.values()] else None
        environment = environment_of({name: value.replace(FOLDER, folder or "") for name, value in self.environment.items()})
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen([folder if word == FOLDER else word for word in self.command], cwd=ROOT, stdout=output,
                                       env=environment, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
            running.add(process)
            wrong = wait_for(process, limit)
            end_group(process)  # what it began, too
            process.wait()
            running.discard(process)
            output.seek(0)
            text = output.read().decode(errors="replace")
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        return wrong or ("" if self.cases(text) > 0 else "it ran no case"), text


def wait_for(process, limit):
    """What is wrong with how it ends. It hangs when it has taken no processor time for so many seconds, or all the time for
    ten times as many: a machine that has other work may be late."""
    before, begun = -1.0, time.time()
    while True:
        try:
            status = process.wait(limit)
            return f"exit status {status}" if status else ""
        except subprocess.TimeoutExpired:
            now = processor_seconds(process.pid)
            if now == before or time.time() - begun > 10 * limit:
                return f"no end within {time.time() - begun:.1f} s, of which {now:.2f} s of processors"
            before = now


def processor_seconds(session):
    """That the processes of a session have taken, and the children that they have waited for."""
    ticks = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()  # from the third on
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15])) if int(fields[3]) == session else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


# ---- classes: a function from host, seed and number of the turn to a task, or to why the host has none ----


def check(host, seed, count, *more, environment=None):
    return Task([host.tool, "check", "--fuzz", host.count(count), "--seed", seed, *more], environment)


def operators(host, seed, turn):
    """Random operators of every kind, legal and illegal, at every level that runs here, also under other semantics."""
    others = ([], ["--limits", "host"], ["--overflow", "ieee"], ["--rounding", "half_up"], ["--threads", "3"])
    return check(host, seed, 150, "--isa", "all", *others[turn % len(others)])


def emulated(host, seed, turn):
    """The same at the levels of matrix units, under the repository's emulator."""
    if not host.emulation:
        return "the processor has what is emulated, or not what the emulator needs"
    return check(host, seed, 50, environment=host.emulation)


def schedules(host, seed, turn):
    """Every candidate of the schedule."""
    return check(host, seed, 12, "--schedule", "all")


def profiles(host, seed, turn):
    """What the documents leave open, as each profile reads it."""
    return check(host, seed, 100, "--profile", host.profiles[turn % len(host.profiles)])


def chains(host, seed, turn):
    """Random chains, as one kernel each."""
    return check(host, seed, 100, "--op", CHAINS[turn % len(CHAINS)], "--isa", "all")


def metamorphic(host, seed, turn):
    """Convolutions too large for the reference, held against each other (metamorphic.c)."""
    return Task([host.build / "aicjit-metamorphic", seed, host.count(12)])


def storm(name, rounds):
    def make(host, seed, turn):
        return Task([host.build / "aicjit-storms", name, seed, host.count(rounds), FOLDER])

    return make


def forks(host, seed, turn):
    """Forks and exits while threads make the first kernel of a process (tests/cli/forks.c)."""
    kinds = ("late", "early", "profile", "exit")
    rounds = host.count(50)

    def cases(text):
        return rounds if re.search(r"^0 of \d+ rounds failed$", text, re.MULTILINE) else 0

    return Task([host.build / "aicjit-forks", kinds[turn % 4], rounds], {"JITDUMPDIR": FOLDER}, cases)


def faults(host, seed, turn):
    """Every allocation and every system call fails once: numbered, so that one turn has all."""
    return Task([host.build / "aicjit-faults"], {"AIC_CAMPAIGN": "1"}) if turn == 0 else "all of it was run"


def full_disk(host, seed, turn):
    """Commands on file systems that are full or soon will be (full_disk.sh)."""
    if not host.namespaces:
        return "file systems in a name space of its own are not allowed (unshare -rm)"
    return Task(["bash", from_root(HERE / "full_disk.sh"), host.tool, seed, host.count(12), FOLDER])


def read_bytes(host, seed, turn):
    """Texts and files that libFuzzer mutates by the code that they reach (bytes.c); corpora stay in PLACE/corpus."""
    target = TARGETS[turn % len(TARGETS)]
    corpus = host.place / "corpus" / target
    if host.smoke:
        return Task([host.build / "aicjit-bytes", corpus], {"AIC_TARGET": target})
    if not (ROOT / host.fuzzer).exists():
        return f"no {host.fuzzer}, which tools/dev campaign builds"
    command = [host.fuzzer, f"-seed={seed % 2**31 + 1}", f"-max_total_time={FUZZ_SECONDS}", "-print_final_stats=1",
               "-verbosity=0", "-timeout=20", "-rss_limit_mb=2048", "-max_len=65536",
               f"-artifact_prefix={host.findings}/{target}-", corpus]
    environment = {"AIC_TARGET": target, "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1"}
    return Task(command, environment, executed)


# What it runs, and its share of the time.
CLASSES = {
    "operators": (operators, 3),
    "emulated": (emulated, 1),
    "chains": (chains, 2),
    "bytes": (read_bytes, 3),
    "schedules": (schedules, 1),
    "calls": (storm("calls", 100), 1),
    "profiles": (profiles, 1),
    "metamorphic": (metamorphic, 1),
    "kills": (storm("kills", 60), 1),
    "forks": (forks, 1),
    "contexts": (storm("contexts", 40), 1),
    "signals": (storm("signals", 40), 1),
    "cancels": (storm("cancels", 60), 1),
    "full disk": (full_disk, 1),
    "faults": (faults, 1),
}


# ---- seeds of corpora ----


def plant(host):
    """What mutation begins with: real texts, and real files, made by the tool."""
    corpus, tool = ROOT / host.place / "corpus", ROOT / host.tool
    for target in TARGETS:
        (corpus / target).mkdir(parents=True, exist_ok=True)

    def keep(target, name, content):
        (corpus / target / name).write_bytes(content)

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
    with tempfile.TemporaryDirectory(dir=ROOT / host.place) as folder:
        environment = environment_of({"AIC_CACHE": "rw", "AIC_CACHE_DIR": f"{folder}/cache"})
        for text in [spec] if host.smoke else [spec, *lines[::40]]:
            subprocess.run([tool, "check", text], env=environment, capture_output=True)
        for number, path in enumerate(sorted(pathlib.Path(folder, "cache").glob("*.*"))[:60]):
            content = path.read_bytes()
            if len(content) < 60000:
                keep("disk", f"file-{number}", content)
                begin = content.find(b"AICR")
                if begin >= 0:
                    keep("record", f"record-{number}", content[begin:begin + 600])
        for target, *words in (("object", "dump", spec, "--stage", "obj", "-o"),
                               ("tuning", "tune", spec, "--budget", "0.2", "--db")):
            subprocess.run([tool, *words, f"{folder}/{target}"], env=environment_of({}), capture_output=True)
            keep(target, "file", pathlib.Path(folder, target).read_bytes())
    for target in TARGETS:
        if not any((corpus / target).iterdir()):
            sys.exit(f"{tool} has made no {target} to begin with")


# ---- running ----


class Campaign:
    """Classes take their shares of the time until `end`; without an end each class is run once, "bytes" once a target."""

    def __init__(self, host, names, options, end):
        self.host, self.names, self.seed, self.limit, self.end = host, names, options.seed, options.limit, end
        self.cases = dict.fromkeys(names, 0)
        self.turns = dict.fromkeys(names, 0)
        self.done = dict.fromkeys(names, 0)
        self.spent = dict.fromkeys(names, 0.0)
        self.absent, self.findings, self.running = {}, [], set()
        self.lock, self.stopped = threading.Lock(), False

    def wants(self, name):
        if name in self.absent or self.stopped:
            return False
        return time.time() < self.end if self.end else self.turns[name] < (len(TARGETS) if name == "bytes" else 1)

    def take(self):
        """The next task, of the class that is farthest behind its share; None when time is up, or nothing is left."""
        with self.lock:
            while wanted := [name for name in self.names if self.wants(name)]:
                name = min(wanted, key=lambda one: self.spent[one] / CLASSES[one][1])
                turn = self.turns[name]
                task = CLASSES[name][0](self.host, self.seed + turn * 1000003, turn)
                if isinstance(task, str):
                    self.absent[name] = task
                    continue
                expected = self.spent[name] / turn if turn else FIRST_SECONDS
                self.turns[name] += 1
                self.spent[name] += expected
                return name, task, expected
            return None

    def work(self):
        while (taken := self.take()) is not None:
            name, task, expected = taken
            start = time.time()
            wrong, text = task.run(self.host.place, self.limit, self.running)
            with self.lock:
                self.spent[name] += time.time() - start - expected
                if self.stopped:  # by whoever stopped the campaign
                    return
                self.done[name] += 1
                self.cases[name] += task.cases(text)
                if wrong:
                    self.find(name, task, wrong, text)

    def find(self, name, task, wrong, text):
        path = self.host.findings / f"{name.replace(' ', '-')}-{len(self.findings)}-{os.getpid()}.txt"
        lines = [line.strip() for line in text.splitlines() if line.lstrip().startswith("repeat: ")][:5]
        lines += [f"repeat: AIC_TARGET={task.environment['AIC_TARGET']} {self.host.fuzzer} {unit}"
                  for unit in re.findall(r"Test unit written to (\S+)", text)]
        (ROOT / path).write_text(f"{task.line()}\n{wrong}\n\n{text}")
        self.findings.append((name, task.line(), wrong, lines))
        print(f"FOUND {name}: {wrong}\n  repeat: {task.line()}\n  output: {path}", *lines, sep="\n  ", flush=True)

    def stop(self, *_):
        self.stopped = True
        for process in list(self.running):
            end_group(process)

    def progress(self):
        with self.lock:
            counts = ", ".join(f"{name} {count:,}" for name, count in self.cases.items() if count)
        left = f"{max(0, self.end - time.time()) / 60:.0f} minutes left; " if self.end else ""
        print(f"{left}{counts or 'no case yet'}; {len(self.findings)} found", flush=True)


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text() if os.path.exists("/proc/cpuinfo") else ""
    fields = {key: re.search(rf"^{key}\s*:\s*(.*)$", text, re.MULTILINE) for key in ("model name", "cpu family", "model")}
    told = ", ".join(f"{key} {found.group(1)}" for key, found in fields.items() if found).removeprefix("model name ") or platform.machine()
    return f"{told}, {len(os.sched_getaffinity(0))} processors"


def commit():
    """The commit, with "+" where the working tree differs; a copy of the sources may be on a machine without git."""
    if shutil.which("git") is None:
        return "no git"

    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()

    return (git("rev-parse", "--short=10", "HEAD") or "no repository") + ("+" if git("status", "--porcelain", "-uno") else "")


def entry(campaign, begun, seconds, jobs):
    """An entry of the ledger."""
    lines = [f"\n## {begun:%Y-%m-%d %H:%M} UTC, {commit()}", "",
             f"{machine()}; {seconds / 3600:.2f} hours, {jobs} tasks at a time; seed {campaign.seed}"
             + ("; interrupted" if campaign.stopped else ""), "", "| class | tasks | cases |", "|---|---|---|"]
    lines += [f"| {name} | {campaign.done[name]:,} | {count:,} |" for name, count in campaign.cases.items() if campaign.done[name]]
    lines += ["", "Not run: " + ("; ".join(f"{name}, {why}" for name, why in campaign.absent.items()
                                           if not campaign.turns[name]) or "nothing") + ".", ""]
    lines += [f"Findings: {len(campaign.findings) or 'none'}."]
    lines += ["\n".join([f"\n- {name}: {wrong}: `{line}`"] + [f"  - `{one}`" for one in more])
              for name, line, wrong, more in campaign.findings]
    return "\n".join(lines) + "\n"


def options_of(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("hours", type=float, nargs="?", default=1.0)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**40, help="the tasks of the campaign that had it")
    parser.add_argument("--only", choices=CLASSES, action="append", help="this class; may be given several times")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="tasks at a time")
    parser.add_argument("--limit", type=float, default=600, help="seconds without processor time after which a task hangs")
    parser.add_argument("--smoke", action="store_true", help="a small task of each class, and no entry")
    parser.add_argument("--place", type=pathlib.Path, help="folder of corpora and findings (BUILD/campaign)")
    parser.add_argument("--ledger", type=pathlib.Path, default=HERE / "LEDGER.md", metavar="FILE")
    options = parser.parse_intermixed_args(words)
    if not 0 < options.hours <= 1000:
        parser.error(f"hours: {options.hours:g} is not within 0 and 1000")
    return options


def main():
    options = options_of(sys.argv[1:])
    build = options.build.resolve()
    host = Host(build, (options.place or build / "campaign").resolve(), options.smoke)
    begun, start = datetime.datetime.now(datetime.timezone.utc), time.time()
    names = options.only or list(CLASSES)
    if "bytes" in names:
        plant(host)
    campaign = Campaign(host, names, options, 0 if options.smoke else start + options.hours * 3600)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, campaign.stop)
    print(f"seed {options.seed}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(campaign.work) for _ in range(options.jobs)]
        while concurrent.futures.wait(running, timeout=60).not_done:
            campaign.progress()
        for one in running:
            one.result()
    told = entry(campaign, begun, time.time() - start, options.jobs)
    print(told)
    if not options.smoke:
        with options.ledger.open("a") as ledger:
            ledger.write(told)
    print(f"{sum(campaign.cases.values())} passed, {len(campaign.findings)} failed")
    return bool(campaign.findings)


if __name__ == "__main__":
    sys.exit(main())
