// What comes of a version that the server has forgotten.
import assert from "node:assert/strict";
import { CoreV1Api, ListWatch, Watch } from "@kubernetes/client-node";
import { check, restart, sleep, until } from "./checks.js";

const namespace = "default";
const path = "/api/v1/namespaces/default/configmaps";

export async function play(config) {
  const core = config.makeApiClient(CoreV1Api);
  const make = (name) => core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
  const old = (await make("old")).metadata.resourceVersion;
  await make("later");
  // The server of this part forgets within some seconds, and remembers nothing else when it is started again.
  await sleep(3000);
  await make("last");
  await restart();

  await check("a watch that begins too early is told 410", async () => {
    const events = [];
    let done;
    const ended = new Promise((resolve) => (done = resolve));
    await new Watch(config).watch(
      path,
      { resourceVersion: old },
      (type, object) => events.push({ type, object }),
      done,
    );
    assert.equal(await ended, null);
    assert.deepEqual(
      events.map(({ type, object }) => [type, object.kind, object.reason, object.code]),
      [["ERROR", "Status", "Expired", 410]],
    );
  });

  await check("an informer that begins too early lists again", async () => {
    let lists = 0;
    const list = async () => {
      const found = await core.listNamespacedConfigMap({ namespace });
      if (lists++ === 0) found.metadata.resourceVersion = old;
      return found;
    };
    const informer = new ListWatch(path, new Watch(config), list, false);
    await informer.start();
    await until(() => lists === 2);
    await make("after");
    await until(() => informer.get("after", namespace) !== undefined);
    await informer.stop();
  });
}
