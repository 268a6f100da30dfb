import { readFileSync } from "node:fs";
import { built } from "./built.ts";
import { BOTH, KUBERNETES, testLibrary } from "./program.ts";

const folder = new URL("go/", import.meta.url).pathname;
const modules = readFileSync(`${folder}go.mod`, "utf8");
const versionOf = (module: string): string => new RegExp(`${module} v(\\S+)`).exec(modules)![1]!;

const bin = await built({
  name: "go-clients",
  folder,
  commands: (output) => [["go", "build", "-o", `${output}/`, "."]],
});
const command = bin === undefined ? undefined : { file: `${bin}/go`, args: [], cwd: bin };

testLibrary({
  name: "client-go",
  language: "Go",
  version: versionOf("k8s.io/client-go"),
  command,
  ms: 180_000,
  parts: {
    typed: KUBERNETES,
    kinds: KUBERNETES,
    subresources: KUBERNETES,
    dynamic: KUBERNETES,
    apply: KUBERNETES,
    discovery: KUBERNETES,
    "informers that begin with a list": KUBERNETES,
    "informers that begin with a watch": BOTH,
    events: KUBERNETES,
    election: KUBERNETES,
    trust: KUBERNETES,
    "custom resources": BOTH,
  },
  serveFor: {
    // A client can be away for too long.
    "informers that begin with a list": ["--history", "1s"],
    "informers that begin with a watch": ["--history", "1s"],
    election: ["--feature-gates", "CoordinatedLeaderElection=true"],
    subresources: ["--enable-admission-plugins", "ResourceQuota"],
  },
});

testLibrary({
  name: "controller-runtime",
  language: "Go",
  version: versionOf("sigs.k8s.io/controller-runtime"),
  command,
  ms: 180_000,
  parts: { manager: KUBERNETES },
});
