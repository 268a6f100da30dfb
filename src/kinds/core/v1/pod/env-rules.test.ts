import { describe, expect, test } from "vitest";
import { C, Pods } from "../testing/pods.ts";
import { benches } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, new Pods(bench)] as const))(
  "variables, %s",
  (_name, pods) => {
    const { strict } = pods;
    const env = (...variables: object[]) =>
      pods.container(
        { env: variables },
        {
          volumes: [
            { name: "e", emptyDir: {} },
            { name: "h", hostPath: { path: "/" } },
          ],
        },
      );
    const from = (valueFrom: object) =>
      env({ name: "A", valueFrom }).map((cause) => cause.replace("env[0].valueFrom", ""));

    test.each(["A", "a b", "a.b-c", "1", "~!", " "])("KIND-PodSpec-1: a variable may be called '%s'", (name) => {
      expect(env({ name, value: "x" })).toEqual([]);
    });

    test("KIND-PodSpec-1: names are printable ASCII without '=', once or twice", () => {
      for (const name of ["a=b", "a\tb", "ä", "\u007f"]) expect(env({ name })).toEqual(["Invalid env[0].name"]);
      expect(env({ value: "x" })).toEqual(["Required env[0].name"]);
      expect(env({ name: "A", value: "1" }, { name: "A", value: "2" })).toEqual([]);
    });

    const KEY = { name: "s", key: "k" };

    test("KIND-PodSpec-1: a value or one source", () => {
      expect(from({})).toEqual(["Invalid "]);
      expect(from({ secretKeyRef: KEY, configMapKeyRef: KEY })).toEqual(["Invalid "]);
      expect(env({ name: "A", value: "x", valueFrom: { secretKeyRef: KEY } })).toEqual(["Invalid env[0].valueFrom"]);
      expect(env({ name: "A", value: "", valueFrom: { secretKeyRef: KEY } })).toEqual([]);
    });

    test.each([
      "metadata.name",
      "metadata.namespace",
      "metadata.uid",
      "spec.nodeName",
      "spec.host",
      "spec.serviceAccountName",
      "status.hostIP",
      "status.hostIPs",
      "status.podIP",
      "status.podIPs",
      "metadata.labels['a']",
      "metadata.annotations['x.io/A']",
    ])("KIND-PodSpec-1: the member %s can be a variable", (fieldPath) => {
      expect(from({ fieldRef: { fieldPath } })).toEqual([]);
    });

    test.each([
      ["metadata.labels", "NotSupported .fieldRef.fieldPath"],
      ["metadata.annotations", "NotSupported .fieldRef.fieldPath"],
      ["spec.restartPolicy", "NotSupported .fieldRef.fieldPath"],
      ["status.phase", "NotSupported .fieldRef.fieldPath"],
      ["metadata.name['a']", "Invalid .fieldRef.fieldPath"],
      ["metadata.labels['a b']", "Invalid .fieldRef"],
      ["metadata.labels['']", "Invalid .fieldRef"],
      ["metadata.annotations['a['b']", "Invalid .fieldRef"],
      ["", "Required .fieldRef.fieldPath"],
    ])("KIND-PodSpec-1: the member '%s' cannot be a variable", (fieldPath, expected) => {
      expect(from({ fieldRef: { fieldPath } })).toEqual([expected]);
    });

    test("KIND-PodSpec-1: what is no member at all is invalid where Kubernetes tells the two apart", () => {
      const why = strict ? "Invalid" : "NotSupported";
      expect(from({ fieldRef: { fieldPath: "spec.foo" } })).toEqual([`${why} .fieldRef.fieldPath`]);
      expect(from({ fieldRef: { fieldPath: "['a']" } })).toEqual([`${why} .fieldRef.fieldPath`]);
      expect(from({ fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } })).toEqual([
        "Invalid .fieldRef.fieldPath",
      ]);
    });

    test.each([
      ["limits.cpu", ["1m", "1", "0"]],
      ["requests.memory", ["1", "1k", "1Gi", "1E"]],
      ["limits.ephemeral-storage", ["1M", "1Mi"]],
      ["requests.hugepages-2Mi", ["1", "1Ki"]],
    ])("KIND-PodSpec-1: the resource %s in units of %j", (resource, divisors) => {
      for (const divisor of divisors) expect(from({ resourceFieldRef: { resource, divisor } })).toEqual([]);
    });

    test("KIND-PodSpec-1: other resources and units are refused", () => {
      const unit = strict ? ["Invalid .resourceFieldRef.divisor"] : [];
      expect(from({ resourceFieldRef: { resource: "limits.cpu", divisor: "1k" } })).toEqual(unit);
      expect(from({ resourceFieldRef: { resource: "limits.memory", divisor: "2" } })).toEqual(unit);
      expect(from({ resourceFieldRef: { resource: "limits.hugepages-2Mi", divisor: "1m" } })).toEqual(unit);
      expect(from({ resourceFieldRef: { resource: "limits.foo", divisor: "7" } })).toEqual([
        "NotSupported .resourceFieldRef.resource",
      ]);
      expect(from({ resourceFieldRef: {} })).toEqual(["Required .resourceFieldRef.resource"]);
    });

    test.each(["configMapKeyRef", "secretKeyRef"])("KIND-PodSpec-1: a %s has a name and a key", (member) => {
      expect(from({ [member]: { name: "a.b", key: "k_.-" } })).toEqual([]);
      expect(from({ [member]: {} })).toEqual([`Invalid .${member}.name`, `Required .${member}.key`]);
      expect(from({ [member]: { name: "A", key: "a b" } })).toEqual([
        `Invalid .${member}.key`,
        `Invalid .${member}.name`,
      ]);
    });

    test("KIND-PodSpec-1: a key of a file is in an empty directory of the Pod", () => {
      const file = { volumeName: "e", path: "a/b", key: "K" };
      expect(from({ fileKeyRef: file })).toEqual([]);
      expect(from({ fileKeyRef: { ...file, volumeName: "z" } })).toEqual(["NotFound .fileKeyRef.volumeName"]);
      expect(from({ fileKeyRef: { ...file, volumeName: "h" } })).toEqual(["Invalid .fileKeyRef.volumeName"]);
      expect(from({ fileKeyRef: { ...file, path: "a/../b", key: "a=b" } })).toEqual([
        "Invalid .fileKeyRef.key",
        "Invalid .fileKeyRef.path",
      ]);
      expect(from({ fileKeyRef: {} })).toEqual([
        "NotFound .fileKeyRef.volumeName",
        "Required .fileKeyRef.key",
        "Required .fileKeyRef.path",
        "Required .fileKeyRef.volumeName",
      ]);
      const containers = [{ ...C, env: [{ name: "A", valueFrom: { fileKeyRef: file } }] }];
      expect(pods.read({ containers, volumes: [{ name: "e" }] })).toMatchObject({
        containers: [{ env: [{ valueFrom: { fileKeyRef: { ...file, optional: false } } }] }],
      });
    });

    test("KIND-PodSpec-2: envFrom has exactly one source with a name, and a prefix that is a name", () => {
      const sources = (...envFrom: object[]) => pods.container({ envFrom });
      const at = strict ? "envFrom" : "envFrom[0]";
      expect(sources({ configMapRef: { name: "a" } }, { secretRef: { name: "a.b" }, prefix: "P_" })).toEqual([]);
      expect(sources({})).toEqual([`Invalid ${at}`]);
      expect(sources({ configMapRef: { name: "a" }, secretRef: { name: "a" } })).toEqual([`Invalid ${at}`]);
      expect(sources({ configMapRef: {} })).toEqual(["Required envFrom[0].configMapRef.name"]);
      expect(sources({ secretRef: { name: "A" }, prefix: "a=b" })).toEqual([
        "Invalid envFrom[0].prefix",
        "Invalid envFrom[0].secretRef.name",
      ]);
    });
  },
);
