import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigMap, Pod, Secret } from "../../src/client/kinds/index.ts";
import { LOG_BYTES } from "../../src/node/containers/exec/rotate-log.ts";
import { linkingMounter } from "../../src/node/mounts/linking-mounter.ts";
import { machineMounter } from "../../src/node/mounts/machine-mounter.ts";
import { openPlugins } from "../../src/node/plugins.ts";
import { NodeWorld, NotedPlugin, at, textOf } from "./node-world.ts";

let world: NodeWorld;
beforeEach(async () => {
  world = await NodeWorld.create();
});
afterEach(() => world[Symbol.asyncDispose]());

const start = (options: object = {}) => world.start({ plugins: openPlugins, pods: "exec", ...options });
const shell = (script: string, more: object = {}) => ({
  name: "c",
  image: "i",
  command: ["/bin/sh", "-c", script],
  ...more,
});
const phase = async (name = "p") => (await world.findPod(name))?.status.phase;
const statusOf = async (name = "p") => (await world.findPod(name))!.status.containerStatuses![0]!;
const logOf = async (pod: Pod, container = "c") => (await textOf(world.at(pod, "logs", `${container}.log`))).trim();
/** The log as the server asks for it. */
async function asked(pod: Pod, parameters: Readonly<Record<string, string>> = {}): Promise<string> {
  const pieces: Uint8Array[] = [];
  const log = await world.agent!.log(pod, (name) => parameters[name], new AbortController().signal);
  for await (const piece of log) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
/** Processes are not under the clock of the test. */
const expectSoon = (read: () => unknown, wanted: unknown) =>
  expect.poll(read, { timeout: 10_000, interval: 20 }).toEqual(wanted);
const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};
const config = (data: Readonly<Record<string, string>>) =>
  world.resource(ConfigMap).create({ metadata: at("conf"), data });

describe("containers as processes", () => {
  test("NODE-3: commands run when the volumes are there, init containers first, with variables, mounts and logs", async () => {
    await start();
    await world.resource(Secret).create({ metadata: at("sec"), stringData: { password: "p4ss" } });
    const mounts = {
      volumeMounts: [
        { name: "v", mountPath: "/etc/conf" },
        { name: "d", mountPath: "/data" },
      ],
    };
    const creating = world.pod(
      "p",
      [
        { name: "v", configMap: { name: "conf" } },
        { name: "d", emptyDir: {} },
      ],
      {
        restartPolicy: "Never",
        initContainers: [
          { ...shell("echo first > $KEELSON_ROOT/data/order", mounts), name: "one" },
          { ...shell("echo second >> $KEELSON_ROOT/data/order", mounts), name: "two" },
        ],
        containers: [
          shell(
            'cat $KEELSON_ROOT/data/order $KEELSON_ROOT/etc/conf/key; echo "$NAME $NODE $PASS $key $BOTH $(CPU)"; exit 3',
            {
              ...mounts,
              envFrom: [{ configMapRef: { name: "conf" } }],
              env: [
                { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
                { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                { name: "PASS", valueFrom: { secretKeyRef: { name: "sec", key: "password" } } },
                { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
                { name: "BOTH", value: "$(NAME)-$(PASS)-$(none)" },
              ],
              resources: { limits: { cpu: "3" } },
            },
          ),
        ],
      },
    );
    const pod = await creating;
    expect((await world.findPod("p"))!.status.initContainerStatuses![0]!.state.waiting?.reason).toBe(
      "ContainerCreating",
    );
    await config({ key: "value" });
    await world.advance("1s");
    await expectSoon(() => phase(), "Failed");
    const { containerStatuses, initContainerStatuses } = (await world.findPod("p"))!.status;
    expect(containerStatuses![0]!.state.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
    expect(initContainerStatuses!.map(({ state }) => state.terminated?.exitCode)).toEqual([0, 0]);
    await expectSoon(() => readdirSync(world.at(pod)), ["logs"]);
  });

  test("logs of containers are kept until their Pod is deleted from the API, whatever delays that, also by another agent", async () => {
    await start();
    const spec = { restartPolicy: "Never", containers: [shell('echo "cannot reach the database"; exit 3')] };
    const pod = await world.pod("p", [{ name: "e", emptyDir: {} }], spec, { finalizers: ["example.com/held"] });
    await expectSoon(() => phase(), "Failed");
    await expectSoon(() => readdirSync(world.at(pod)), ["logs"]);
    expect(await logOf(pod)).toBe("cannot reach the database");
    world.agent!.crash();
    await start();
    expect(readdirSync(world.at(pod))).toEqual(["logs"]);
    await world.resource(Pod).delete(at("p"), { gracePeriodSeconds: 1 });
    await world.advance("2s");
    expect(await asked(pod)).toBe("cannot reach the database\n");
    await world.resource(Pod).patch(at("p"), { metadata: { finalizers: null } });
    await expectSoon(() => world.findPod("p"), undefined);
    await expectSoon(() => world.has(pod), false);
  });

  test("the log of a container is that of its last start, that of the previous start is requested as such; a missing log is an error", async () => {
    await start();
    const pod = await world.pod("p", [], { containers: [shell('echo "start at $(date +%N)"; exit 1')] });
    await expectSoon(async () => (await statusOf()).state.waiting?.reason, "CrashLoopBackOff");
    const first = await asked(pod);
    expect(first).toMatch(/^start at \d+\n$/);
    await expect(asked(pod, { previous: "true" })).rejects.toThrow(
      'previous terminated container "c" in pod "p" not found',
    );
    await world.advance("11s");
    await expectSoon(async () => (await statusOf()).restartCount, 1);
    await expectSoon(async () => (await statusOf()).state.waiting?.reason, "CrashLoopBackOff");
    expect(await asked(pod, { previous: "true" })).toBe(first);
    const second = await asked(pod, { container: "c" });
    expect(second).toMatch(/^start at \d+\n$/);
    expect(second).not.toBe(first);
    const later = await world.pod("q", [{ name: "v", configMap: { name: "conf" } }], { containers: [shell("true")] });
    await expect(asked(later)).rejects.toThrow('container "c" in pod "q" is waiting to start: ContainerCreating');
  });

  test("where an agent runs no containers the log says so", async () => {
    await start({ pods: "run-nothing" });
    const pod = await world.pod("p", []);
    await expect(asked(pod)).rejects.toThrow("node n1 runs no containers (--node-pods run-nothing)");
  });

  test("what a container says is in its log, and it is started again after a pause that doubles", async () => {
    await start();
    await config({ key: "v" });
    const script = 'echo "$NAME $key $BOTH"; exit 1';
    const env = [
      { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "BOTH", value: "$(NAME)-$(none)" },
    ];
    const envFrom = [{ configMapRef: { name: "conf" } }];
    const pod = await world.pod("p", [], { restartPolicy: "OnFailure", containers: [shell(script, { env, envFrom })] });
    await expectSoon(async () => (await statusOf()).state.waiting?.reason, "CrashLoopBackOff");
    expect(await logOf(pod)).toBe("p v p-$(none)");
    expect(await phase()).toBe("Running");
    expect((await statusOf()).lastState.terminated?.exitCode).toBe(1);
    await world.advance("11s");
    await expectSoon(async () => (await statusOf()).restartCount, 1);
    await expectSoon(async () => (await statusOf()).state.waiting?.reason, "CrashLoopBackOff");
    await world.advance("15s");
    expect((await statusOf()).restartCount).toBe(1);
    await world.advance("6s");
    await expectSoon(async () => (await statusOf()).restartCount, 2);
  });

  test("a log that has grown long is put aside, and the process goes on writing to the end of an empty one", async () => {
    await start();
    const script = `head -c ${LOG_BYTES + 1} /dev/zero | tr "\\0" x; echo; while [ ! -e more ]; do sleep 0.05; done; echo more; sleep 1000`;
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    const containers = [shell(`cd "$KEELSON_ROOT/data" && { ${script}; }`, { volumeMounts })];
    const pod = await world.pod("p", [{ name: "data", emptyDir: {} }], { containers });
    const log = world.at(pod, "logs", "c.log");
    await expectSoon(() => existsSync(log) && statSync(log).size, LOG_BYTES + 2);
    // A log is looked after from when its process is known to run.
    await expectSoon(() => phase(), "Running");
    await world.advance("10s");
    await expectSoon(() => statSync(log).size, 0);
    expect(statSync(`${log}.1`).size).toBe(LOG_BYTES + 2);
    writeFileSync(world.at(pod, "volumes", "kubernetes.io~empty-dir", "data", "more"), "");
    await expectSoon(() => logOf(pod), "more");
  });

  test("a container without a command, and one that needs what is not there, say so", async () => {
    await start();
    await world.pod("p", [], { containers: [{ name: "c", image: "i" }] });
    await expectSoon(async () => (await statusOf()).state.waiting?.reason, "CreateContainerError");
    const env = [{ name: "X", valueFrom: { configMapKeyRef: { name: "conf", key: "k" } } }];
    await world.pod("q", [], { containers: [shell("true", { env })] });
    await expectSoon(async () => (await statusOf("q")).state.waiting, {
      reason: "CreateContainerError",
      message: 'configmap "conf" not found',
    });
  });

  test("NODE-8, NODE-7: volumes are taken down when the processes have stopped, by SIGTERM or after the grace period", async () => {
    const plugin = new NotedPlugin();
    await start({ plugins: plugin.open });
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    const containers = [shell('trap "" TERM; echo $$$$; while true; do sleep 0.05; done', { volumeMounts })];
    const pod = await world.pod("p", [{ name: "data", emptyDir: {} }], {
      containers,
      terminationGracePeriodSeconds: 5,
    });
    await expectSoon(() => phase(), "Running");
    await expectSoon(async () => /^\d+$/.test(await logOf(pod)), true);
    const pid = Number(await logOf(pod));
    await world.resource(Pod).delete(at("p"));
    await world.advance("4s");
    expect(isAlive(pid)).toBe(true);
    expect(plugin.calls).toEqual(["setUp data"]);
    await world.advance("1s");
    await expectSoon(() => world.findPod("p"), undefined);
    expect(isAlive(pid)).toBe(false);
    expect(plugin.calls).toEqual(["setUp data", "tearDown data"]);
  });

  test("NODE-5: processes that an agent has left behind end with the next one, and are started again", async () => {
    await start();
    const pod = await world.pod("p", [], { containers: [shell("echo $$$$; exec sleep 1000")] });
    await expectSoon(() => phase(), "Running");
    await expectSoon(async () => /^\d+$/.test(await logOf(pod)), true);
    const pid = Number(await logOf(pod));
    world.agent!.crash();
    expect(isAlive(pid)).toBe(true);
    await start();
    await expectSoon(() => isAlive(pid), false);
    await expectSoon(async () => (await statusOf()).restartCount, 1);
    await expectSoon(async () => (await statusOf()).lastState.terminated?.exitCode, 137);
  });

  test.skipIf(process.getuid?.() !== 0)(
    "NODE-69, PROJ-55: a container sees a change at once, unless it mounts by subPath",
    async () => {
      await start({ mounter: machineMounter() });
      await config({ key: "old" });
      const volumeMounts = [
        { name: "v", mountPath: "/whole" },
        { name: "v", mountPath: "/part", subPath: "key" },
      ];
      const script = "while true; do cat $KEELSON_ROOT/whole/key $KEELSON_ROOT/part; echo; sleep 0.05; done";
      const pod = await world.pod("p", [{ name: "v", configMap: { name: "conf" } }], {
        containers: [shell(script, { volumeMounts })],
      });
      await expectSoon(async () => (await logOf(pod)).includes("oldold"), true);
      await world.resource(ConfigMap).patch(at("conf"), { data: { key: "new" } });
      await world.settled();
      await expectSoon(async () => (await logOf(pod)).endsWith("newold"), true);
      await world.resource(Pod).delete(at("p"), { gracePeriodSeconds: 1 });
      await world.advance("2s");
      await expectSoon(() => world.findPod("p"), undefined);
    },
  );

  const mounters = [
    ["with mounts", machineMounter],
    ["with links in place of mounts", () => linkingMounter({ mounts: async () => [] })],
  ] as const;
  describe.each(mounters)("%s", (_, open) => {
    const skipped = open === machineMounter && process.getuid?.() !== 0;
    test.skipIf(skipped).each([
      ["configMap", { configMap: { name: "conf" } }],
      ["secret", { secret: { secretName: "conf" } }],
      ["downwardAPI", { downwardAPI: { items: [{ path: "key", fieldRef: { fieldPath: "metadata.labels['key']" } }] } }],
      ["projected", { projected: { sources: [{ secret: { name: "conf" } }, { configMap: { name: "conf" } }] } }],
    ])(
      "NODE-69: a container keeps the file of a start, and each start has the file of that time, also by another agent: %s",
      async (_member, source) => {
        await start({ mounter: open() });
        await config({ key: "one" });
        await world.resource(Secret).create({ metadata: at("conf"), stringData: { key: "one" } });
        const volumeMounts = [
          { name: "v", mountPath: "/part", subPath: "key" },
          { name: "out", mountPath: "/out" },
        ];
        const script = `cat $KEELSON_ROOT/part; echo; while [ ! -e $KEELSON_ROOT/out/go ]; do sleep 0.02; done; rm $KEELSON_ROOT/out/go
          cat $KEELSON_ROOT/part; echo; exit 1`;
        const volumes = [
          { name: "v", ...source },
          { name: "out", emptyDir: {} },
        ];
        const containers = [shell(script, { volumeMounts })];
        const pod = await world.pod("p", volumes, { containers }, { labels: { key: "one" } });
        /** What the last start and the one before have said. */
        const says = (last: readonly string[], before: readonly string[] = []) =>
          expectSoon(async () => {
            const logs = ["c.log", "c.previous.log"].map((file) => world.at(pod, "logs", file));
            return logs.map((file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []));
          }, [last, before]);
        const change = async (key: string) => {
          await world.resource(ConfigMap).patch(at("conf"), { data: { key } });
          await world.resource(Secret).patch(at("conf"), { stringData: { key } });
          await world.resource(Pod).patch(at("p"), { metadata: { labels: { key } } });
          await world.settled();
        };
        const end = async () => {
          await expectSoon(() => phase(), "Running");
          writeFileSync(world.at(pod, "volumes", "kubernetes.io~empty-dir", "out", "go"), "");
          await expectSoon(async () => (await statusOf()).state.waiting?.reason, "CrashLoopBackOff");
        };
        await says(["one"]);
        await change("two");
        await end();
        await says(["one", "one"]);
        await world.advance("11s");
        await says(["two"], ["one", "one"]);
        await change("three");
        await expectSoon(async () => (await statusOf()).state.running !== undefined, true);
        world.agent!.crash();
        await start({ mounter: open() });
        await says(["three"], ["two"]);
        await world.resource(Pod).delete(at("p"), { gracePeriodSeconds: 1 });
        await world.advance("2s");
        await expectSoon(() => world.findPod("p"), undefined);
      },
    );
  });

  test.skipIf(process.getuid?.() !== 0)(
    "as root a container has its mounts in a namespace of its own, at their paths",
    async () => {
      await start({ mounter: machineMounter() });
      await config({ key: "value" });
      const volumeMounts = [
        { name: "v", mountPath: "/etc/keelson-test/conf", readOnly: true },
        { name: "d", mountPath: "/keelson-test-data" },
        // A link of the machine, as /var/run, is one of the container; nothing is above its root.
        { name: "v", mountPath: "/../../var/run/keelson-test" },
        { name: "v", mountPath: "/var/run/keelson-file", subPath: "key" },
      ];
      const script =
        "cat /etc/keelson-test/conf/key; echo; cat /var/run/keelson-test/key /var/run/keelson-file; echo; echo x > /keelson-test-data/file; echo y > /etc/keelson-test/conf/key || echo denied; id -u; touch /etc/keelson-left";
      const pod = await world.pod(
        "p",
        [
          { name: "v", configMap: { name: "conf" } },
          { name: "d", emptyDir: {} },
        ],
        {
          containers: [
            shell(`${script}; sleep 1000`, { volumeMounts, securityContext: { runAsUser: 1234 }, workingDir: "/tmp" }),
          ],
        },
      );
      await expectSoon(async () => (await logOf(pod)).split("\n").at(-1)?.includes("keelson-left"), true);
      const log = await logOf(pod);
      expect(log).toMatch(/^value\nvaluevalue\n/);
      expect(existsSync("/run/keelson-test")).toBe(false);
      expect(log).toContain("denied");
      expect(log).toContain("\n1234\n");
      expect(await textOf(world.at(pod, "volumes", "kubernetes.io~empty-dir", "d", "file"))).toBe("x\n");
      expect(() => readFileSync("/etc/keelson-test/conf/key")).toThrow("ENOENT");
      await world.resource(Pod).delete(at("p"), { gracePeriodSeconds: 1 });
      await world.advance("2s");
      await expectSoon(() => world.findPod("p"), undefined);
    },
  );
});
