"""What an installation compiles, where a C compiler is there: the loops over pairs of codes.

Nothing needs it.  Without a compiler, or with one that fails, the package is installed without the library and takes
its NumPy route; only then the wheel is for any platform.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE, LIBRARY = "theorytools/codes/_pairs.c", "theorytools/codes/_pairs.compiled"


def build(root, target):
    """Compile the loops to the file; whether they are there.  ``CC`` names the compiler, as it does elsewhere."""
    source = Path(root, SOURCE)
    chosen = shlex.split(os.environ.get("CC", "")) or list(filter(shutil.which, ("cc", "gcc", "clang")))[:1]
    if not chosen:
        return False
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made.so")
        order = [*chosen, "-O3", "-Wno-psabi", "-shared", "-fPIC", f'-DSOURCE="{digest}"', str(source), "-o", str(made)]
        try:
            subprocess.run(order, check=True, capture_output=True, timeout=120)
            shutil.copyfile(made, target)  # whole or not at all is seen to by the digest that the library states
        except (OSError, subprocess.SubprocessError):
            return False
    return True


class CustomBuildHook(BuildHookInterface):
    """Compile into the tree for an editable installation, beside it for a wheel."""

    def initialize(self, version, build_data):
        """Add the library and the platform that it is for."""
        if version == "editable":
            build(self.root, Path(self.root, LIBRARY))
            return
        self.folder = tempfile.TemporaryDirectory()
        made = Path(self.folder.name, "pairs.so")
        if build(self.root, made):
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["force_include"][str(made)] = LIBRARY
            build_data["pure_python"], build_data["tag"] = False, f"py3-none-{platform}"

    def finalize(self, version, build_data, artifact_path):
        """Remove what was compiled beside the tree."""
        if version != "editable":
            self.folder.cleanup()
