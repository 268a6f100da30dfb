import { readFileSync } from "node:fs";
import { built } from "./built.ts";
import { BOTH, KUBERNETES, testLibrary } from "./program.ts";

const folder = new URL("python/", import.meta.url).pathname;
const pins = readFileSync(`${folder}pinned/requirements.txt`, "utf8");

const bin = await built({
  name: "kubernetes-python",
  folder: `${folder}pinned`,
  commands: (output) => [
    ["python3", "-m", "venv", output],
    `${output}/bin/python -m pip install --quiet --disable-pip-version-check --no-compile`
      .split(" ")
      .concat("--no-deps", "--only-binary", ":all:", "--requirement", "requirements.txt"),
  ],
});

testLibrary({
  name: "kubernetes",
  language: "Python",
  version: /^kubernetes==(.*)$/m.exec(pins)![1]!,
  command:
    bin === undefined
      ? undefined
      : {
          file: `${bin}/bin/python`,
          args: ["main.py"],
          cwd: folder,
          // Nothing is written beside the sources, and only what is used is compiled.
          env: { PYTHONPYCACHEPREFIX: `${bin}/compiled` },
        },
  parts: {
    core: BOTH,
    storage: KUBERNETES,
    patches: KUBERNETES,
    dynamic: BOTH,
    watches: KUBERNETES,
    informers: KUBERNETES,
    expired: KUBERNETES,
    errors: KUBERNETES,
    election: KUBERNETES,
  },
  serveFor: { expired: ["--history", "1s"] },
});
