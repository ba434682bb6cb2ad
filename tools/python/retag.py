"""retag.py WHEEL PLATFORM: gives a wheel the tag of a platform, in its name and in it, and prints the new name. The other
files stay compressed as they are: `wheel tags` would compress all of LLVM a second time, which takes seconds."""

import base64
import hashlib
import os
import re
import struct
import sys
import zipfile


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def copy(old, info, new):
    """A file of a wheel into another one, as it lies there; both are open ZipFiles."""
    old.fp.seek(info.header_offset)
    header = old.fp.read(zipfile.sizeFileHeader)
    old.fp.seek(sum(struct.unpack("<HH", header[26:30])), os.SEEK_CUR)  # its name, and what else is said of it
    data = old.fp.read(info.compress_size)
    info.header_offset = new.fp.tell()
    info.flag_bits &= ~8  # the header has the sizes
    new.fp.write(info.FileHeader())
    new.fp.write(data)
    new.filelist.append(info)
    new.NameToInfo[info.filename] = info
    new.start_dir = new.fp.tell()


def retag(path, platform):
    name = os.path.join(os.path.dirname(path), os.path.basename(path).rsplit("-", 1)[0] + "-" + platform + ".whl")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(name, "w") as new:
        last = [file for file in old.namelist() if re.fullmatch(r"[^/]+\.dist-info/(WHEEL|RECORD)", file)]
        wheel, record = sorted(last, reverse=True)
        for info in old.infolist():
            if info.filename not in last:
                copy(old, info, new)
        told, tags = re.subn(rb"(?m)^(Tag: [^-\n]+-[^-\n]+)-\S+$", rb"\1-" + platform.encode(), old.read(wheel))
        assert tags == 1, "a wheel of one platform"
        new.writestr(old.getinfo(wheel), told)
        row = "%s,%s,%d" % (wheel, digest(told), len(told))
        rows = [row if line.startswith(wheel + ",") else line for line in old.read(record).decode().splitlines()]
        new.writestr(old.getinfo(record), "".join(line + "\n" for line in rows))
    return name


if __name__ == "__main__":
    print(retag(*sys.argv[1:]))
