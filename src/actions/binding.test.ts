import { describe, expect, test } from "vitest";
import { binding } from "../kinds/core/v1/binding.ts";
import { eviction } from "../kinds/policy/v1/eviction.ts";
import { read } from "../registry/testing/registry.ts";
import { actionRegistry } from "./testing/actions.ts";
import { pods } from "./testing/pods.ts";

const NODE = { target: { kind: "Node", name: "node-1" } };

/** A registry with the Pod `p`, and a function that binds it. */
async function withPod(pod: object = {}) {
  const { resource, create, ask } = await actionRegistry([pods("Namespaced", eviction), binding]);
  const { metadata } = await create("pods", { metadata: { name: "p" }, spec: {}, ...pod });
  return {
    metadata,
    bind: (body: object, options = {}) => ask("pods", "p", "binding", { metadata: { name: "p" }, ...body }, options),
    bindByName: (body: object) => ask("bindings", "", "", { metadata: { name: "p" }, ...body }),
    pod: () => read(resource("pods"), "p", "n"),
  };
}

test("KIND-Pod-8: a binding sets the node of a Pod, its condition, and the labels and annotations of the Binding", async () => {
  const { bind, pod } = await withPod({ metadata: { name: "p", labels: { own: "1" } } });
  const result = await bind({ ...NODE, metadata: { name: "p", labels: { more: "2" }, annotations: { a: "b" } } });
  expect(result).toMatchObject({ code: 201, changed: true, status: { status: "Success" } });
  expect(await pod()).toMatchObject({
    metadata: { labels: { own: "1", more: "2" }, annotations: { a: "b" } },
    spec: { nodeName: "node-1" },
    status: { conditions: [{ type: "PodScheduled", status: "True" }] },
  });
});

test("KIND-Pod-8: a Pod is bound once, and a dry run binds none", async () => {
  const { bind, bindByName, pod } = await withPod();
  expect(await bind(NODE, { dryRun: true })).toMatchObject({ changed: false });
  expect((await pod())["spec"]).toEqual({});
  await bindByName(NODE);
  await expect(bind(NODE)).rejects.toMatchObject({
    code: 409,
    message: expect.stringContaining('pod p is already assigned to node "node-1"'),
  });
});

describe("KIND-Pod-8: a binding is refused", () => {
  test.each([
    [422, "without a node", { target: {} }],
    [422, "to anything but a Node", { target: { kind: "Pod", name: "x" } }],
    [400, "of another Pod than that of the path", { ...NODE, metadata: { name: "q" } }],
    [409, "of another version", { ...NODE, metadata: { name: "p", resourceVersion: "999" } }],
    [409, "of another uid", { ...NODE, metadata: { name: "p", uid: "other" } }],
  ])("%d %s", async (code, _why, body) => {
    const { bind } = await withPod();
    await expect(bind(body)).rejects.toMatchObject({ code });
  });

  test("409 of a Pod with scheduling gates", async () => {
    const { bind } = await withPod({ spec: { schedulingGates: [{ name: "wait" }] } });
    await expect(bind(NODE)).rejects.toMatchObject({ code: 409 });
  });
});
