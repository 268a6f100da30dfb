import { expect, test } from "vitest";
import { FieldErrors } from "../../meta/field-errors.ts";
import { PolicyLabels, isPrivileged, shown } from "./levels.ts";

const LABELS = new PolicyLabels("kubernetes.io");

/** The policy of short labels, `{ enforce: "restricted" }`, with the messages of its errors. */
function read(short: Readonly<Record<string, string>>) {
  const errors = new FieldErrors();
  const labels = Object.fromEntries(Object.entries(short).map(([name, value]) => [LABELS.annotation(name), value]));
  const { enforce, audit, warn } = LABELS.read(labels, errors);
  return {
    levels: [enforce, audit, warn].map(shown),
    errors: errors.causes.map(({ field, message }) => `${field}: ${message}`),
  };
}

test("a namespace without labels allows everything", () => {
  const policy = LABELS.read(undefined, new FieldErrors());
  expect(isPrivileged(policy)).toBe(true);
  expect(read({}).levels).toEqual(Array(3).fill("privileged:latest"));
});

test.each([
  [{ enforce: "baseline" }, ["baseline:latest", "privileged:latest", "baseline:latest"]],
  [{ enforce: "baseline", "enforce-version": "v1.9" }, ["baseline:v1.9", "privileged:latest", "baseline:v1.9"]],
  [{ enforce: "baseline", "warn-version": "v1.30" }, ["baseline:latest", "privileged:latest", "baseline:v1.30"]],
  [{ enforce: "restricted", warn: "privileged" }, ["restricted:latest", "privileged:latest", "privileged:latest"]],
  [{ audit: "restricted", "audit-version": "v1.0" }, ["privileged:latest", "restricted:v1.0", "privileged:latest"]],
  [{ enforce: "privileged", "enforce-version": "v1.9" }, ["privileged:v1.9", "privileged:latest", "privileged:latest"]],
  [
    { warn: "baseline", "warn-version": "v1.9223372036854775807" },
    ["privileged:latest", "privileged:latest", "baseline:v1.9223372036854775807"],
  ],
])("%j set a level for each mode, and warnings follow refusals", (labels, levels) => {
  expect(read(labels)).toEqual({ levels, errors: [] });
});

test.each([
  [{ enforce: "Baseline" }, ["restricted:latest", "privileged:latest", "privileged:latest"], "enforce"],
  [{ audit: "" }, ["privileged:latest", "privileged:latest", "privileged:latest"], "audit"],
  [{ warn: "x" }, ["privileged:latest", "privileged:latest", "privileged:latest"], "warn"],
])("%j have an invalid level, which is the strictest for refusals alone", (labels, levels, field) => {
  const { levels: got, errors } = read(labels);
  const value = JSON.stringify(Object.values(labels)[0]);
  expect(got).toEqual(levels);
  expect(errors).toEqual([
    `metadata.labels[pod-security.kubernetes.io/${field}]: Invalid value: ${value}: must be one of privileged, baseline, restricted`,
  ]);
});

test.each(["v1", "1.20", "v1.01", "v1.-1", "v1.9223372036854775808", "v2.0", "Latest", ""])(
  "the version %j is invalid",
  (version) => {
    const { levels, errors } = read({ enforce: "baseline", "enforce-version": version });
    expect(levels[0]).toBe("baseline:latest");
    expect(errors).toEqual([
      `metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: ${JSON.stringify(version)}: must be "latest" or "v1.x"`,
    ]);
  },
);
