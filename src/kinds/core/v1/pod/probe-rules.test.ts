import { describe, expect, test } from "vitest";
import { C, Pods } from "../testing/pods.ts";
import { Bench, benches } from "../testing/volumes.ts";

const EXEC = { exec: { command: ["true"] } };
const TCP = { tcpSocket: { port: 80 } };
const KINDS = ["livenessProbe", "readinessProbe", "startupProbe"];

describe.each(benches.map((bench) => [bench.dialect.name, new Pods(bench)] as const))("probes, %s", (name, pods) => {
  const probe = (livenessProbe: object) =>
    pods.container({ livenessProbe }).map((cause) => cause.replace(/livenessProbe\.?/, ""));
  const lifecycle = (members: object, spec: object = {}) =>
    pods.container({ lifecycle: members }, spec).map((cause) => cause.replace("lifecycle.", ""));

  test.each([
    [EXEC, []],
    [TCP, []],
    [{ grpc: { port: 1 } }, []],
    [{ httpGet: { port: "http", scheme: "HTTPS", httpHeaders: [{ name: "X-A", value: "" }] } }, []],
    [{}, ["Required "]],
    [{ ...EXEC, ...TCP }, ["Forbidden tcpSocket"]],
    [{ ...EXEC, httpGet: { port: 0 }, grpc: { port: 0 } }, ["Forbidden grpc", "Forbidden httpGet"]],
    [{ exec: {} }, ["Required exec.command"]],
    [{ exec: { command: [] } }, ["Required exec.command"]],
    [{ tcpSocket: { port: 0 } }, ["Invalid tcpSocket.port"]],
    [{ tcpSocket: { port: 65_536 } }, ["Invalid tcpSocket.port"]],
    [{ tcpSocket: { port: "Bad_" } }, ["Invalid tcpSocket.port"]],
    [{ tcpSocket: { port: "80" } }, ["Invalid tcpSocket.port"]],
    [{ grpc: {} }, ["Invalid grpc.port"]],
    [{ httpGet: {} }, ["Invalid httpGet.port"]],
    [{ httpGet: { port: 80, scheme: "http" } }, ["NotSupported httpGet.scheme"]],
    [{ httpGet: { port: 80, httpHeaders: [{ name: "a b", value: "" }] } }, ["Invalid httpGet.httpHeaders"]],
    [{ httpGet: { port: 80, httpHeaders: [{ name: "", value: "" }] } }, ["Invalid httpGet.httpHeaders"]],
  ])("KIND-PodSpec-4: the action of a probe %j", (action, expected) => {
    expect(probe(action)).toEqual(expected);
  });

  test("KIND-PodSpec-4: numbers are not negative; 0 is the default where there is one", () => {
    const numbers = (value: number) => ({
      initialDelaySeconds: value,
      timeoutSeconds: value,
      periodSeconds: value,
      successThreshold: value,
      failureThreshold: value,
    });
    expect(probe({ ...TCP, ...numbers(-1) })).toEqual([
      "Invalid failureThreshold",
      "Invalid initialDelaySeconds",
      "Invalid periodSeconds",
      "Invalid successThreshold",
      "Invalid timeoutSeconds",
    ]);
    expect(pods.read({ containers: [{ ...C, livenessProbe: { ...TCP, ...numbers(0) } }] })).toMatchObject({
      containers: [
        { livenessProbe: { ...TCP, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 } },
      ],
    });
  });

  test.each(KINDS)("KIND-PodSpec-4: what a %s alone may say", (kind) => {
    const ready = kind === "readinessProbe";
    expect(pods.container({ [kind]: { ...TCP, successThreshold: 2 } })).toEqual(
      ready ? [] : [`Invalid ${kind}.successThreshold`],
    );
    const grace = `Invalid ${kind}.terminationGracePeriodSeconds`;
    expect(pods.container({ [kind]: { ...TCP, terminationGracePeriodSeconds: 1 } })).toEqual(ready ? [grace] : []);
    expect(pods.container({ [kind]: { ...TCP, terminationGracePeriodSeconds: 0 } })).toEqual([grace]);
  });

  test("KIND-PodSpec-5: handlers have exactly one action", () => {
    expect(lifecycle({ postStart: EXEC, preStop: { httpGet: { port: 80 } } })).toEqual([]);
    expect(lifecycle({ postStart: {} })).toEqual(["Required postStart"]);
    expect(lifecycle({ preStop: { ...EXEC, sleep: { seconds: -1 } } })).toEqual(["Forbidden preStop.sleep"]);
    expect(lifecycle({ preStop: { httpGet: { port: "-", scheme: "X" } } })).toEqual([
      "Invalid preStop.httpGet.port",
      "NotSupported preStop.httpGet.scheme",
    ]);
  });

  test("KIND-PodSpec-5: sleep is 0 to the pod's grace period", () => {
    const sleep = (seconds: number, spec: object = {}) => lifecycle({ preStop: { sleep: { seconds } } }, spec);
    expect(sleep(0)).toEqual([]);
    expect(sleep(30)).toEqual([]);
    expect(sleep(31)).toEqual(["Invalid preStop.sleep"]);
    expect(sleep(-1)).toEqual(["Invalid preStop.sleep"]);
    expect(sleep(31, { terminationGracePeriodSeconds: 31 })).toEqual([]);
    expect(sleep(1, { terminationGracePeriodSeconds: 0 })).toEqual(["Invalid preStop.sleep"]);
  });

  test("KIND-PodSpec-5, KIND-All-23: stopSignal belongs to a feature that is off, and is dropped", () => {
    const stored = (lifecycleOf: object) =>
      (pods.read({ containers: [{ ...C, lifecycle: lifecycleOf }] })["containers"] as { lifecycle?: object }[])[0]!
        .lifecycle;
    expect(stored({ stopSignal: "SIGUSR1" })).toBeUndefined();
    expect(stored({ stopSignal: "x", preStop: EXEC })).toEqual({ preStop: EXEC });
    expect(stored({})).toEqual({});
  });

  test("KIND-PodSpec-5: with the feature on, the operating system knows the signal", () => {
    const { dialect } = benches.find((bench) => bench.dialect.name === name)!;
    const open = new Pods(new Bench(dialect, { ContainerStopSignals: true }));
    const signal = (stopSignal: string, spec: object) => open.container({ lifecycle: { stopSignal } }, spec);
    expect(signal("SIGTERM", {})).toEqual(["Forbidden lifecycle.stopSignal"]);
    for (const known of ["SIGTERM", "SIGRTMIN", "SIGRTMIN+15", "SIGRTMAX-14"])
      expect(signal(known, { os: { name: "linux" } })).toEqual([]);
    for (const unknown of ["SIGRTMIN+16", "SIGRTMAX-15", "TERM"]) {
      expect(signal(unknown, { os: { name: "linux" } })).toEqual(["NotSupported lifecycle.stopSignal"]);
    }
    expect(signal("SIGTERM", { os: { name: "windows" } })).toEqual([]);
    expect(signal("SIGHUP", { os: { name: "windows" } })).toEqual(["NotSupported lifecycle.stopSignal"]);
  });
});
