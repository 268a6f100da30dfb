// Watch: lines of JSON over a connection that stays open.
import assert from "node:assert/strict";
import { CoreV1Api, Watch } from "@kubernetes/client-node";
import { check, sleep, until } from "./checks.js";

const namespace = "default";
const path = "/api/v1/namespaces/default/configmaps";

export async function play(config) {
  const core = config.makeApiClient(CoreV1Api);
  const make = (name, labels) => core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels } } });
  const newest = async () => (await core.listNamespacedConfigMap({ namespace })).metadata.resourceVersion;

  async function watch(query) {
    const events = [];
    let done;
    const ended = new Promise((resolve) => (done = resolve));
    const controller = await new Watch(config).watch(
      path,
      query,
      (type, object) => events.push({ type, object }),
      done,
    );
    const said = () =>
      events.filter(({ type }) => type !== "BOOKMARK").map((one) => `${one.type} ${one.object.metadata.name}`);
    return { events, ended, said, stop: () => controller.abort() };
  }

  await check("what happens after a list", async () => {
    await make("before");
    const { said, stop } = await watch({ resourceVersion: await newest() });
    await make("after");
    const body = [{ op: "add", path: "/data", value: { a: "1" } }];
    await core.patchNamespacedConfigMap({ name: "after", namespace, body });
    await core.deleteNamespacedConfigMap({ name: "after", namespace });
    await until(() => said().length === 3);
    assert.deepEqual(said(), ["ADDED after", "MODIFIED after", "DELETED after"]);
    stop();
  });

  await check("a label selector; an object that leaves it is DELETED", async () => {
    const { said, stop } = await watch({ resourceVersion: await newest(), labelSelector: "app=a" });
    await make("other", { app: "b" });
    await make("mine", { app: "a" });
    const body = [{ op: "replace", path: "/metadata/labels/app", value: "b" }];
    await core.patchNamespacedConfigMap({ name: "mine", namespace, body });
    await until(() => said().length === 2);
    assert.deepEqual(said(), ["ADDED mine", "DELETED mine"]);
    stop();
  });

  await check("a field selector", async () => {
    const { said, stop } = await watch({ fieldSelector: "metadata.name=mine" });
    await until(() => said().length === 1);
    assert.deepEqual(said(), ["ADDED mine"]);
    stop();
  });

  await check("a watch that begins with what is there, ended by a bookmark", async () => {
    const query = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true };
    const { events, stop } = await watch(query);
    await until(() => events.at(-1)?.type === "BOOKMARK");
    assert.equal(events.at(-1).object.metadata.annotations["k8s.io/initial-events-end"], "true");
    const { items } = await core.listNamespacedConfigMap({ namespace });
    const names = (list) => list.map(({ metadata }) => metadata.name).toSorted();
    const initial = events.slice(0, -1).map(({ object }) => object);
    assert.deepEqual(names(initial), names(items));
    stop();
  });

  await check("a watch with a timeout ends with a bookmark and without an error", async () => {
    const resourceVersion = await newest();
    const { events, ended } = await watch({ resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 1 });
    assert.equal(await ended, null);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["BOOKMARK"],
    );
  });

  await check("the watch is heard at once, before anything has happened", async () => {
    const started = performance.now();
    const { stop } = await watch({ resourceVersion: await newest() });
    assert.ok(performance.now() - started < 2000);
    await sleep(10);
    stop();
  });

  await check("a hundred changes come in order, each once", async () => {
    const { events, stop } = await watch({ resourceVersion: await newest() });
    await Promise.all(Array.from({ length: 100 }, (_, i) => make(`many-${i}`)));
    await until(() => events.length >= 100);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(events.map(({ object }) => object.metadata.name)).size, 100);
    stop();
  });

  await check("a watch that is refused tells its status code", async () => {
    const { ended } = await watch({ labelSelector: "a in (" });
    assert.equal((await ended).statusCode, 400);
  });
}
