import { expect, test } from "vitest";
import { decodeYaml } from "../../../src/value/yaml.ts";
import { planBody } from "./plan-body.ts";

test("documents stay what they are", () => {
  const body = planBody(
    [
      "---\nkind: A\ntext: |\n  x\n\n    y\nbig: 9223372036854775807\n# end\n",
      "--- # second\n{kind: B, list: [1,\n2]}\n...\n",
    ],
    { fieldManager: "me: #1", namespace: "default", commit: false },
  );
  expect(JSON.stringify(decodeYaml(body).value)).toBe(
    JSON.stringify({
      kind: "PlanRequest",
      apiVersion: "keelson.dev/v1",
      fieldManager: "me: #1",
      namespace: "default",
      commit: false,
      fieldValidation: "Strict",
      documents: [
        { kind: "A", text: "x\n\n  y\n", big: 0 },
        { kind: "B", list: [1, 2] },
      ],
    }).replace('"big":0', '"big":9223372036854775807'),
  );
});
