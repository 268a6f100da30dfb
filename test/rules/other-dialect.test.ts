import { describe, expect, test } from "vitest";
import { kubernetes, neutral } from "../../src/meta/dialect.ts";
import { serve } from "./api.ts";

describe.each([
  { spoken: neutral, other: kubernetes },
  { spoken: kubernetes, other: neutral },
])("the $spoken.name dialect", ({ spoken, other }) => {
  const api = serve({ dialect: spoken.name });
  const group = `storage.${other.domain}`;
  const hint = `${group} is a group of the ${other.name} dialect, and this server speaks the ${spoken.name} one: start it on a new data directory with --dialect ${other.name}`;

  test.each([
    `/apis/${group}`,
    `/apis/${group}/v1`,
    `/apis/${group}/v1/storageclasses`,
    `/apis/${group}/v1/storageclasses/fast`,
    `/apis/${group}/v1/namespaces/default/csistoragecapacities/fast/status`,
    `/openapi/v3/apis/${group}/v1`,
  ])("says where %s is served", async (path) => {
    const { status, text } = await api.get(path);
    expect(status).toBe(404);
    expect(text).toContain(hint);
  });

  test("says so of the apiVersion of a body, too", async () => {
    const path = `/apis/storage.${spoken.domain}/v1/storageclasses`;
    const { status, text } = await api.post(path, { apiVersion: `${group}/v1`, metadata: { name: "fast" } });
    expect(status).toBe(400);
    expect(text).toContain(hint);
  });

  test.each([
    "/apis/example.com/v1",
    `/apis/not${other.domain}/v1`,
    `/apis/unknown.${other.domain}/v1`,
    "/apis/networking.k8s.io/v1/things",
    "/api/v2",
    "/flowers",
    `/apis/storage.${spoken.domain}/v9`,
  ])("says nothing of it for %s", async (path) => {
    const { status, text } = await api.get(path);
    expect(status).toBe(404);
    expect(text).not.toContain("dialect");
  });
});
