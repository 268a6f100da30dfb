import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Decisions, decisionsOf } from "./decisions.ts";
import type { DrawnPod } from "./pods.ts";

// Recorded by `record.ts`, which compares any number of other Pods with the original implementation.
const FILE = new URL("decided.json", import.meta.url);
const recorded = JSON.parse(readFileSync(FILE, "utf8")) as readonly { pod: DrawnPod; decided: Decisions }[];

describe("Pods are decided as the original implementation of Pod Security decided them, in every version", () => {
  test.each(recorded.map(({ pod, decided }, i) => [i, pod, decided] as const))("Pod %i", (_, pod, decided) => {
    expect(decisionsOf(pod)).toEqual(decided);
  });

  test("of what was recorded every check forbids some Pod, and some Pods are allowed", () => {
    const texts = recorded.flatMap(({ decided }) =>
      [decided.baseline, decided.restricted].flatMap(Object.values),
    ) as string[];
    const reasons = [
      "host namespaces",
      "hostPath volumes",
      "hostPort",
      "probe or lifecycle host",
      "hostProcess",
      "forbidden sysctls",
      "procMount",
      "privileged",
      "non-default capabilities",
      "unrestricted capabilities",
      "allowPrivilegeEscalation != false",
      "runAsNonRoot != true",
      "runAsUser=0",
      "forbidden AppArmor profile",
      "seLinuxOptions",
      "seccompProfile",
      "restricted volume types",
    ];
    for (const reason of reasons) expect(texts.some((text) => text.includes(`${reason} (`))).toBe(true);
    expect(texts).toContain("");
  });
});
