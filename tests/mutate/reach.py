"""reach.py: which lines of the generator a test runs, by a build that says so (reach.c). A run of a test in it takes hardly
longer than elsewhere, so that each line of tests/corpus can be a test by itself."""
import bisect
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CODE = "codegen/"
DUMPS = ("llvm-dwarfdump", *(f"llvm-dwarfdump-{version}" for version in range(22, 13, -1)))


def flags(folder):
    """Those by which clang compiles the generator so that it says what is run, and objects that the linker takes, too."""
    (folder / "allow.txt").write_text(f"src:*{CODE}*\nfun:*\n")
    return ("-w -fno-sanitize-link-runtime -fsanitize-coverage=bb,no-prune,inline-bool-flag,pc-table "
            f"-fsanitize-coverage-allowlist={folder}/allow.txt"), f"{folder}/reach.o"


def make(tree, folder, clang):
    """The build in `folder`: generator not optimised, so that a line is in a block of its own, and the rest as usual."""
    folder.mkdir(parents=True, exist_ok=True)
    compiles, links = flags(folder)
    subprocess.run([clang, "-std=c11", "-O1", "-fPIC", "-c", HERE / "reach.c", "-o", links], check=True)
    subprocess.run(["cmake", "--preset", "default", "-B", folder, f"-DCMAKE_C_COMPILER={clang}", f"-DCMAKE_C_FLAGS={compiles}",
                    "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O0 -gline-tables-only", "-DAIC_BUILD_BENCH=OFF", "-DAIC_READY_PARTS=OFF",
                    "-DAIC_WERROR=OFF", f"-DCMAKE_EXE_LINKER_FLAGS={links}", f"-DCMAKE_SHARED_LINKER_FLAGS={links}"],
                   cwd=tree, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--", "--quiet"], check=True)


def rows(program, root):
    """Of the program's line table: address, and FILE:LINE of the generator or nothing."""
    dump = next(filter(None, map(shutil.which, DUMPS)))
    said = subprocess.run([dump, "--debug-line", program], capture_output=True, text=True, check=True).stdout
    for unit in re.split(r"^debug_line\[", said, flags=re.M)[1:]:
        folders = dict(re.findall(r'^include_directories\[ *(\d+)\] = "(.*)"', unit, re.M))
        files = {}
        for number, name, folder in re.findall(r'^file_names\[ *(\d+)\]:\s+name: "(.*)"\s+dir_index: (\d+)', unit, re.M):
            path = os.path.relpath(os.path.join(folders["0"], folders[folder], name), root)
            files[number] = path if path.startswith(CODE) and path.endswith(".c") else None
        for address, line, file in re.findall(r"^0x([0-9a-f]+) +(\d+) +\d+ +(\d+) ", unit, re.M):
            yield int(address, 16), f"{files[file]}:{line}" if files[file] and line != "0" else None


class Reach:
    def __init__(self, root, build):
        self.root, self.build, self.tables, self.lines = root, build, {}, []

    def table(self, name, there):
        """Where a program's blocks begin, and the lines of each."""
        if name not in self.tables:
            begins = sorted(int(line, 16) for line in there.read_text().split())
            lines = {begin: set() for begin in begins}
            for address, line in rows(self.build / name, self.root):
                at = bisect.bisect_right(begins, address) - 1
                if line and at >= 0:
                    lines[begins[at]].add(line)
            self.tables[name] = lines
            self.lines.append(set().union(*lines.values()))
        return self.tables[name]

    def code(self):
        """All lines that programs have code of."""
        return set().union(*self.lines)

    def run(self, command, environment):
        """Exit status, seconds of processors, lines."""
        with tempfile.TemporaryDirectory() as folder:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(list(map(str, command)), env={**environment, "AIC_REACH": folder, "AIC_REACH_ALL": "1"},
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            lines = set()
            for path in pathlib.Path(folder).iterdir():
                if path.suffix != ".all":
                    name = path.name.rpartition(".")[0]
                    table = self.table(name, path.with_name(path.name + ".all"))
                    lines.update(*(table[int(begin, 16)] for begin in path.read_text().split()))
            return done.returncode, round(now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime, 2), lines
