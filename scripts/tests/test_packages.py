# SPDX-License-Identifier: GPL-2.0-only
"""scripts/packages: silent when all is there, says what it does, asks nothing."""

import os
import subprocess
import unittest

from support import SCRIPTS, Case

# $HAVE: file of installed packages; every call of apt-get is noted in $CALLS.
DPKG_QUERY = r"""
shift 2
exec awk -v format="$1" -v names="$*" '
{ version[$1] = $2 }
END {
	count = split(names, name, " ")
	for (i = 1; i <= count; i++)
		if (!(name[i] in version))
			bad = bad || name[i] ~ /^[a-z]/
		else if (format ~ /Package/)
			print "ii  " name[i]
		else
			print "ii " version[name[i]]
	exit bad
}' "$HAVE"
"""
APT_GET = """
echo "$*" >> "$CALLS"
case "$*" in *--print-uris*) echo "'http://m/debian/dists/bookworm/InRelease' x 0" ;;
esac
[ -f "$CALLS.fail" ] && { cat "$CALLS.fail"; exit 100; }
exit 0
"""


class Packages(Case):

    def setUp(self):
        super().setUp()
        self.have, self.calls = self.tmp / "have", self.tmp / "calls"
        self.have.write_text("")
        release = self.tmp / "os-release"
        release.write_text("ID=debian\nVERSION_CODENAME=bookworm\n")
        self.patch_environment({"HAVE": str(self.have), "CALLS": str(self.calls),
                                "POOLSTACK_OS_RELEASE": str(release)})
        self.program("dpkg-query", DPKG_QUERY)
        self.program("apt-get", APT_GET)
        self.program("id", "echo 0")

    def packages(self, *words):
        return subprocess.run(["sh", str(SCRIPTS / "packages"), *words],
                              capture_output=True, text=True, check=False,
                              env=os.environ, stdin=subprocess.DEVNULL)

    def missing(self):
        done = self.packages("-n")
        self.assertEqual(done.returncode, 2)
        return [word for word in done.stdout.splitlines()[0].split()[2:]]

    def install_all(self, qemu="1:10.0.2+ds-2"):
        self.have.write_text("".join(f"{name} 1.0\n" for name in self.missing())
                             + f"qemu-system-arm {qemu}\n")

    def ran(self):
        return self.calls.read_text() if self.calls.exists() else ""

    def test_all_there_is_one_line_and_no_apt(self):
        self.install_all()
        done = self.packages()
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "packages: all there\n", ""))
        self.assertEqual(self.ran(), "")

    def test_what_is_missing_is_said_and_installed(self):
        self.install_all()
        text = self.have.read_text().replace("ccache 1.0\n", "")
        self.have.write_text(text)
        done = self.packages()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("packages: installing: ccache\n", done.stdout)
        self.assertRegex(self.ran(), r"install --no-install-recommends ccache\n")
        self.assertNotIn("backports", self.ran())

    def test_old_qemu_comes_from_backports_with_a_state_of_its_own(self):
        self.install_all("1:7.2+dfsg-7")
        done = self.packages()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1:7.2+dfsg-7 is installed", done.stdout)
        line = [line for line in self.ran().splitlines() if " install " in line][0]
        for part in ("Dir::Etc::sourceparts=/dev/null", "Dir::State::Lists=",
                     "-t bookworm-backports qemu-system-arm"):
            self.assertIn(part, line)

    def test_groups(self):
        self.assertNotIn("sparse", self.packages("-n", "base").stdout)
        self.assertIn("sparse", self.packages("-n", "check").stdout)
        self.assertNotIn("qemu", self.packages("-n", "lab").stdout)
        done = self.packages("fun")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))

    def test_without_root_the_line_to_run_is_printed(self):
        self.program("id", "echo 1000")
        self.program("sudo", "exit 1")
        self.install_all("1:7.2+dfsg-7")
        self.have.write_text(self.have.read_text().replace("bison 1.0\n", ""))
        done = self.packages()
        self.assertEqual(done.returncode, 2)
        self.assertIn("sudo apt-get install --no-install-recommends bison\n",
                      done.stderr)
        self.assertRegex(done.stderr, r"sudo /\S+/packages board\n")
        self.assertEqual(self.ran(), "")

    def test_sudo_that_asks_nothing_is_used(self):
        self.program("id", "echo 1000")
        self.program("sudo", 'shift; echo "sudo $*" >> "$CALLS"; exec "$@"')
        self.install_all()
        self.have.write_text(self.have.read_text().replace("bison 1.0\n", ""))
        done = self.packages()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get", self.ran())

    def test_no_network(self):
        (self.tmp / "calls.fail").write_text(
            "Err:1 x\n  Temporary failure resolving 'm'\nE: Failed to fetch x\n")
        done = self.packages("base")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("Temporary failure resolving", done.stderr)

    def test_disk_full(self):
        (self.tmp / "calls.fail").write_text("E: No space left on device\n")
        self.assertIn("No space left", self.packages("base").stderr)


if __name__ == "__main__":
    unittest.main()
