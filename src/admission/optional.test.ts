/** Steps that are off by default and look at one kind of field. */
import { describe, expect, test } from "vitest";
import type { ApiObject } from "../schema/definition.ts";
import { alwaysAdmit, alwaysDeny } from "./all-or-none.ts";
import type { AdmissionRequest } from "./contract.ts";
import { nodeDeclaredFeatureValidator } from "./declared-features.ts";
import { alwaysPullImages } from "./images.ts";
import { denyServiceExternalIPs } from "./services.ts";
import { atOnce, lookupOf, objectOf, requestOf } from "./testing/requests.ts";

const PODS = { group: "", plural: "pods", kind: "Pod" };
const podOf = (spec: object, status: object = {}): ApiObject =>
  objectOf({ name: "p", namespace: "team" }, { kind: "Pod", spec: structuredClone(spec), status });

describe("AlwaysPullImages", () => {
  const spec = {
    containers: [{ name: "a", image: "i", imagePullPolicy: "Never" }],
    initContainers: [{ name: "i", image: "i" }],
    volumes: [
      { name: "v", image: { reference: "r", pullPolicy: "IfNotPresent" } },
      { name: "e", emptyDir: {} },
    ],
  };

  test("all containers and images of a new Pod are pulled again", () => {
    const object = podOf(spec);
    const request = requestOf({ ref: PODS, object });
    atOnce(alwaysPullImages.mutate!(request));
    atOnce(alwaysPullImages.validate!(request));
    expect(object["spec"]).toMatchObject({
      containers: [{ imagePullPolicy: "Always" }],
      initContainers: [{ imagePullPolicy: "Always" }],
      volumes: [{ image: { pullPolicy: "Always" } }, { emptyDir: {} }],
    });
  });

  test("a policy that another step has set is refused", () => {
    expect(() =>
      alwaysPullImages.validate!(requestOf({ ref: PODS, object: podOf({ containers: spec.containers }) })),
    ).toThrow('spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"');
  });

  test("an update without a new image is left alone", () => {
    const change = (image: string): ApiObject => {
      const object = podOf({ containers: [{ name: "a", image, imagePullPolicy: "Never" }] });
      atOnce(alwaysPullImages.mutate!(requestOf({ ref: PODS, operation: "UPDATE", object, old: podOf(spec) })));
      return object;
    };
    expect(change("i")).toMatchObject({ spec: { containers: [{ imagePullPolicy: "Never" }] } });
    expect(change("j")).toMatchObject({ spec: { containers: [{ imagePullPolicy: "Always" }] } });
  });
});

test("external addresses that a Service does not have already are refused", () => {
  const service = (...externalIPs: string[]) => objectOf({ name: "s" }, { kind: "Service", spec: { externalIPs } });
  const validate = (object: ApiObject, old?: ApiObject, more: Partial<AdmissionRequest> = {}): void =>
    atOnce(
      denyServiceExternalIPs.validate!(
        requestOf({ ref: { group: "", plural: "services", kind: "Service" }, name: "s", object, old, ...more }),
      ),
    );
  validate(service());
  validate(service("192.0.2.1"), service("192.0.2.2", "192.0.2.1"));
  validate(service("192.0.2.1"), undefined, { subresource: "status" });
  const refused = 'services "s" is forbidden: Use of external IPs is denied by admission control';
  expect(() => validate(service("192.0.2.1"))).toThrow(refused);
  expect(() => validate(service("192.0.2.1", "192.0.2.3"), service("192.0.2.1"))).toThrow(refused);
});

describe("NodeDeclaredFeatureValidator", () => {
  const sized = (cpu: string, more: object = {}) =>
    podOf(
      { nodeName: "n", containers: [{ name: "a", resources: { requests: { cpu } } }], ...more },
      { qosClass: "Guaranteed" },
    );

  function resize(object: ApiObject, old: ApiObject, declaredFeatures: string[] | undefined): void {
    const nodes = declaredFeatures ? [objectOf({ name: "n" }, { kind: "Node", status: { declaredFeatures } })] : [];
    const request = requestOf({
      ref: PODS,
      name: "p",
      operation: "UPDATE",
      subresource: "resize",
      object,
      old,
      lookup: lookupOf({ nodes }),
    });
    atOnce(nodeDeclaredFeatureValidator.validate!(request));
  }

  test("a change that its node does not support is refused", () => {
    expect(() => resize(sized("2"), sized("1"), ["Other"])).toThrow(
      'pod update requires features GuaranteedQoSPodCPUResize which are not available on node "n"',
    );
    expect(() => resize(sized("1", { resources: { limits: { cpu: "3" } } }), sized("1"), [])).toThrow(
      "InPlacePodLevelResourcesVerticalScaling",
    );
    expect(() => resize(sized("2"), sized("1"), undefined)).toThrow('node "n" not found');
  });

  test.each<readonly [string, ApiObject, ApiObject, string[]]>([
    ["that the node declares", sized("2"), sized("1"), ["GuaranteedQoSPodCPUResize"]],
    ["that is the same amount", sized("1000m"), sized("1"), []],
    ["of another class", sized("2"), { ...sized("1"), status: { qosClass: "Burstable" } }, []],
    ["without a node", sized("2", { nodeName: "" }), sized("1"), []],
  ])("a change %s is allowed", (_, object, old, declared) => {
    expect(() => resize(object, old, declared)).not.toThrow();
  });
});

test("AlwaysDeny refuses every write and connection, AlwaysAdmit none", () => {
  const refused = 'configmaps "a" is forbidden: admission control is denying all modifications';
  expect(() => alwaysDeny.mutate!(requestOf())).toThrow(refused);
  expect(() => alwaysDeny.validate!(requestOf({ operation: "DELETE" }))).toThrow(refused);
  expect(alwaysDeny.connects).toBe(true);
  expect(alwaysAdmit).toEqual({ name: "AlwaysAdmit" });
});
