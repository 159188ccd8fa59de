# SPDX-License-Identifier: GPL-2.0-only
"""patches/series and patches/base: read right, or the line named."""

import unittest

from support import FEC, Case, write
from poolstack import cli, series


class Series(Case):

    def put(self, text):
        write(self.repo, {"patches/series": text, "patches/a/0001-x.patch": "",
                          "patches/b/0001-y.patch": ""})

    def test_topics_in_order(self):
        self.put("# stack\ntopic a net\npatch 0001-x.patch pending F1 # why\n\n"
                 "topic b net-next\npatch 0001-y.patch dropped -\n")
        topics = series.load()
        self.assertEqual([(topic.name, topic.target) for topic in topics],
                         [("a", "net"), ("b", "net-next")])
        patch = topics[0].patches[0]
        self.assertEqual((patch.file, patch.status, patch.fault),
                         ("0001-x.patch", "pending", "F1"))
        self.assertEqual(topics[1].active, [])
        self.assertEqual([topic.name for topic in series.up_to("a")], ["a"])
        self.assertEqual(len(series.up_to()), 2)

    def test_bad_lines_are_named(self):
        for text, part in (
                ("topic a other\n", ":1: target other"),
                ("\npatch 0001-x.patch pending -\n", ":2: .* before any topic"),
                ("topic a net\npatch 0001-x.patch lost -\n", ":2: status lost"),
                ("topic a net\npatch 0009-z.patch pending -\n", ":2: no such patch"),
                ("topic a net\ntopic a net\n", ":2: topic a is there twice"),
                ("topic a net\npatch 0001-x.patch\n", ":2: not understood"),
                ("hello\n", ":1: not understood")):
            self.put(text)
            with self.subTest(text), self.assertRaisesRegex(cli.Stop, part):
                series.load()

    def test_base(self):
        self.write_base({FEC: "1" * 40})
        base = series.base()
        self.assertEqual((base.version, base.blobs), ("7.3.4", {FEC: "1" * 40}))
        path = self.repo / "patches/base"
        path.write_text(path.read_text().replace("suite ", "suit "))
        with self.assertRaisesRegex(cli.Stop, "not understood: suit"):
            series.base()
        path.write_text("version 7.3.4\n")
        with self.assertRaisesRegex(cli.Stop, "no line 'package"):
            series.base()
        path.unlink()
        with self.assertRaisesRegex(cli.Stop, "no such file"):
            series.base()


if __name__ == "__main__":
    unittest.main()
