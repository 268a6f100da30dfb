// Informers: a copy of a collection that is kept, over closed connections and starts of the server.
import assert from "node:assert/strict";
import { CoreV1Api, makeInformer } from "@kubernetes/client-node";
import { check, restart, sleep, until } from "./checks.js";

const namespace = "default";
const labelSelector = "app=informed";

export async function play(config) {
  const core = config.makeApiClient(CoreV1Api);
  let lists = 0;
  const list = () => {
    lists++;
    return core.listNamespacedConfigMap({ namespace, labelSelector });
  };
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list, labelSelector);
  const heard = [];
  for (const verb of ["add", "update", "delete"]) {
    informer.on(verb, ({ metadata }) => heard.push(`${verb} ${metadata.name}`));
  }
  // As the library's documentation has it: after an error it is started again a little later.
  const errors = [];
  let stopped = false;
  informer.on("error", (error) => {
    errors.push(error);
    if (!stopped) setTimeout(() => void informer.start(), 200);
  });
  const make = (name) =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { app: "informed" } } } });
  const remove = (name) => core.deleteNamespacedConfigMap({ name, namespace });

  async function hears(...wanted) {
    await until(() => heard.length >= wanted.length);
    // What would be heard twice comes soon after.
    await sleep(50);
    assert.deepEqual(heard.splice(0), wanted);
  }

  await check("begins with what is there", async () => {
    await make("a");
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: "not-informed" } } });
    await informer.start();
    await hears("add a");
    assert.equal(informer.get("a", namespace).metadata.name, "a");
  });

  await check("hears what is added, changed, deleted", async () => {
    await make("b");
    const body = [{ op: "add", path: "/data", value: { colour: "red" } }];
    await core.patchNamespacedConfigMap({ name: "b", namespace, body });
    await remove("a");
    await hears("add b", "update b", "delete a");
    assert.deepEqual(
      informer.list(namespace).map(({ data }) => data),
      [{ colour: "red" }],
    );
  });

  await check("goes on where it was after the server has ended in order", async () => {
    const before = lists;
    await restart("SIGTERM");
    await make("c");
    await hears("add c");
    assert.equal(lists, before, "expected the watch to be resumed, without another list");
  });

  await check("goes on where it was after the server was killed", async () => {
    const before = lists;
    await restart("SIGKILL");
    await make("d");
    await remove("b");
    await hears("add d", "delete b");
    assert.equal(lists, before, "expected the watch to be resumed, without another list");
    assert.ok(errors.length > 0, "expected a broken connection to be told as an error");
  });

  await check("has the same as a list in the end", async () => {
    const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector });
    const versions = (objects) =>
      objects.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).toSorted();
    assert.deepEqual(versions(informer.list()), versions(items));
  });

  await check("is silent after it was stopped", async () => {
    stopped = true;
    await informer.stop();
    await make("e");
    await sleep(200);
    assert.deepEqual(heard, []);
  });
}
