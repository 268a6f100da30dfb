import { describe, expect, test } from "vitest";
import { C, Pods } from "../testing/pods.ts";
import { benches } from "../testing/volumes.ts";

const HUGE = "hugepages-2Mi";
const GPU = "example.com/gpu";

describe.each(benches.map((bench) => [bench.dialect.name, new Pods(bench)] as const))(
  "resources, %s",
  (_name, pods) => {
    const { strict } = pods;
    const resources = (limits: object, requests: object = {}, claims?: object[]) =>
      pods.container(
        { resources: { limits, requests, ...(claims && { claims }) } },
        {
          resourceClaims: [
            { name: "a", resourceClaimName: "a" },
            { name: "b", resourceClaimName: "b" },
          ],
        },
      );
    const template = (limits: object, requests: object = {}) =>
      pods.refusedTemplate({ containers: [{ ...C, resources: { limits, requests } }] });

    test.each([
      [{ cpu: "-1", memory: "-1" }, ["limits[cpu]", "limits[memory]", "requests[cpu]", "requests[memory]"]],
      [{ [GPU]: "1500m" }, [`limits[${GPU}]`, `requests[${GPU}]`]],
      [{ [GPU]: "2", cpu: "1500m", memory: "1.5" }, []],
      [{ [HUGE]: "4Mi", cpu: "1" }, []],
      [{ [HUGE]: "5Mi", cpu: "1" }, [`limits[${HUGE}]`, `requests[${HUGE}]`]],
      [{ [HUGE]: "1e30", cpu: "1" }, [`limits[${HUGE}]`, `requests[${HUGE}]`]],
      [{ "hugepages-x": "1", cpu: "1" }, ["limits[hugepages-x]", "requests[hugepages-x]"]],
      [{ "hugepages-0": "1", cpu: "1" }, ["limits[hugepages-0]", "requests[hugepages-0]"]],
    ])("KIND-PodSpec-6: the limits %j of a container", (limits, expected) => {
      expect(resources(limits)).toEqual(expected.map((path) => `Invalid resources.${path}`));
    });

    test("KIND-PodSpec-6: names without a domain are those of what every node has", () => {
      const wrong = (name: string) =>
        strict ? [`Invalid resources.limits[${name}]`, `Invalid resources.requests[${name}]`] : [];
      for (const name of ["cpu", "memory", "ephemeral-storage", "example.com/a", "kubernetes.io/a"]) {
        expect(resources({ [name]: "1" })).toEqual([]);
      }
      for (const name of ["foo", "pods", "storage", "requests.cpu", "A b", "requests.x.io/a", "-/a"]) {
        expect(resources({ [name]: "1" })).toEqual(wrong(name));
      }
      expect(resources({ [`${"a".repeat(250)}/b`]: "1" })).toHaveLength(strict ? 2 : 0);
    });

    test("KIND-PodSpec-6: a request is at most its limit; of what is not shared it is the limit", () => {
      expect(template({ cpu: "1" }, { cpu: "1001m" })).toEqual(["Invalid containers[0].resources.requests"]);
      expect(template({ cpu: "1" }, { cpu: "1000m" })).toEqual([]);
      expect(template({}, { cpu: "1" })).toEqual([]);
      expect(template({}, { [GPU]: "1" })).toEqual(["Required containers[0].resources.limits"]);
      expect(template({ [GPU]: "2" }, { [GPU]: "1" })).toEqual(["Invalid containers[0].resources.requests"]);
      expect(template({ [GPU]: "2" })).toEqual([]);
      expect(template({ cpu: "1", [HUGE]: "4Mi" }, { [HUGE]: "2Mi" })).toEqual([
        "Invalid containers[0].resources.requests",
      ]);
      expect(template({ cpu: "1" }, { [HUGE]: "2Mi" })).toEqual(["Required containers[0].resources.limits"]);
    });

    test("KIND-PodSpec-6: huge pages stand beside cpu or memory", () => {
      expect(resources({ [HUGE]: "2Mi" })).toEqual(["Forbidden resources"]);
      expect(resources({ [HUGE]: "2Mi" }, { memory: "1" })).toEqual([]);
      expect(resources({ [HUGE]: "2Mi", "ephemeral-storage": "1" })).toEqual(["Forbidden resources"]);
    });

    test.each([
      [[{ name: "a" }, { name: "b" }], []],
      [
        [
          { name: "a", request: "r" },
          { name: "a", request: "s" },
        ],
        [],
      ],
      [[{ name: "" }], ["Required resources.claims[0]"]],
      [[{ name: "z" }], ["NotFound resources.claims[0]"]],
      [[{ name: "a" }, { name: "a" }], ["Duplicate resources.claims[1]"]],
      [[{ name: "a" }, { name: "a", request: "r" }], ["Duplicate resources.claims[1]"]],
      [[{ name: "a", request: "r" }, { name: "a" }], ["Duplicate resources.claims[1]"]],
      [
        [
          { name: "a", request: "r" },
          { name: "a", request: "r" },
        ],
        ["Duplicate resources.claims[1]"],
      ],
      [[{ name: "a", request: "R" }], ["Invalid resources.claims[0].request"]],
      [[{ name: "a" }, { name: "a", request: "R" }], ["Duplicate resources.claims[1]"]],
    ])("KIND-PodSpec-6: the claims %j of a container", (claims, expected) => {
      expect(resources({}, {}, claims)).toEqual(expected);
    });

    test("KIND-PodSpec-6: cpu is rounded up to thousandths, memory keeps what was sent", () => {
      const limits = { cpu: "1.0000001", memory: "129e6" };
      const rounded = { cpu: "1001m", memory: "129e6" };
      expect(pods.read({ containers: [{ ...C, resources: { limits } }] })).toMatchObject({
        containers: [{ resources: { limits: rounded, requests: rounded } }],
      });
    });

    test("KIND-PodSpec-6: what a runtime needs are amounts that there can be", () => {
      const at = strict ? "overhead.limits" : "overhead";
      expect(pods.refused({ overhead: { cpu: "1", [GPU]: "1" } })).toEqual([]);
      expect(pods.refused({ overhead: { cpu: "-1" } })).toEqual([`Invalid ${at}[cpu]`]);
      expect(pods.refused({ overhead: { [HUGE]: "2Mi" } })).toEqual(["Forbidden overhead"]);
      expect(pods.refused({ overhead: { foo: "1" } })).toEqual(strict ? [`Invalid ${at}[foo]`] : []);
    });

    const CPU = { resources: { requests: { cpu: "1" } } };

    test.each([
      [{ requests: { cpu: "1", memory: "1", [HUGE]: "2Mi" }, limits: { [HUGE]: "2Mi" } }, []],
      [{ limits: { "ephemeral-storage": "1" } }, ["NotSupported resources.limits[ephemeral-storage]"]],
      [{ limits: { foo: "1", cpu: "1" } }, ["Invalid resources.limits[foo]"]],
      [{ requests: { [GPU]: "1" } }, [`NotSupported resources.requests[${GPU}]`, "Required resources.limits"]],
      [{ requests: { cpu: "2" }, limits: { cpu: "1" } }, ["Invalid resources.requests"]],
      [{ claims: [{ name: "a" }] }, ["Forbidden resources.claims", "NotFound resources.claims[0]"]],
      [{ claims: [] }, ["Forbidden resources.claims"]],
    ])("KIND-PodSpec-7: the resources %j of a Pod", (own, expected) => {
      expect(pods.refused({ resources: own })).toEqual(expected);
    });

    test("KIND-PodSpec-7: what containers ask for in all is within the Pod's request", () => {
      const two = (requests: object, more: object = {}) =>
        pods.refused({
          containers: [
            { ...C, ...CPU },
            { ...C, name: "d", ...CPU },
          ],
          resources: { requests },
          ...more,
        });
      expect(two({ cpu: "2" })).toEqual([]);
      expect(two({ cpu: "1900m" })).toEqual(["Invalid resources.requests[cpu]"]);
      expect(two({ memory: "1" })).toEqual([]);
      const init = { name: "i", image: "i", resources: { requests: { cpu: "3" } } };
      expect(two({ cpu: "2500m" }, { initContainers: [init] })).toEqual(["Invalid resources.requests[cpu]"]);
      expect(two({ cpu: "3" }, { initContainers: [init] })).toEqual([]);
      const stays = { ...init, restartPolicy: "Always" };
      expect(two({ cpu: "4" }, { initContainers: [stays] })).toEqual(["Invalid resources.requests[cpu]"]);
      expect(two({ cpu: "5" }, { initContainers: [stays] })).toEqual([]);
      const after = [stays, { ...init, name: "j" }];
      expect(two({ cpu: "5" }, { initContainers: after })).toEqual(["Invalid resources.requests[cpu]"]);
      expect(two({ cpu: "6" }, { initContainers: after })).toEqual([]);
    });

    test("KIND-PodSpec-7: each container's limit is within the Pod's, huge pages together", () => {
      const limited = (limits: object, own: object) =>
        pods.refused({ containers: [C, { ...C, name: "d", resources: { limits } }], resources: { limits: own } });
      expect(limited({ cpu: "1" }, { cpu: "1" })).toEqual([]);
      expect(limited({ cpu: "2", memory: "1" }, { cpu: "1" })).toEqual([
        "Invalid resources.containers[1][cpu].limits",
        "Invalid resources.requests",
      ]);
      const both = { resources: { limits: { cpu: "1", [HUGE]: "2Mi" } } };
      const containers = [
        { ...C, ...both },
        { ...C, name: "d", ...both },
      ];
      const together = (pages: string) =>
        pods.refused({ containers, resources: { limits: { cpu: "2", [HUGE]: pages } } });
      expect(together("4Mi")).toEqual([]);
      expect(together("2Mi")).toEqual([`Invalid resources.limits[${HUGE}]`, `Invalid resources.requests[${HUGE}]`]);
    });

    test("KIND-PodSpec-7: windows knows no resources of a Pod", () => {
      expect(
        pods.refused({ os: { name: "windows" }, securityContext: {}, resources: { limits: { foo: "1" } } }),
      ).toEqual(["Forbidden resources"]);
    });

    const own = (spec: object) => pods.read(spec)["resources"];

    test("KIND-Pod-2: requests that are missing are taken from limits, resource by resource, but not in templates", () => {
      const containers = [{ ...C, resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } } }];
      expect(pods.read({ containers, initContainers: [{ ...containers[0], name: "i" }] })).toMatchObject({
        containers: [{ resources: { requests: { cpu: "1", memory: "1Gi" } } }],
        initContainers: [{ resources: { requests: { cpu: "1", memory: "1Gi" } } }],
      });
      const { object } = pods.template({ containers });
      expect(object["spec"]).toMatchObject({
        template: { spec: { containers: [{ resources: { requests: { cpu: "1" } } }] } },
      });
      expect(JSON.stringify(object["spec"])).not.toContain('"requests":{"cpu":"1","memory"');
    });

    test.each([
      [
        "what the containers add up to",
        [{ requests: { cpu: "100m" } }, { limits: { cpu: "200m" } }],
        { limits: { cpu: "1" } },
        { cpu: "300m" },
      ],
      [
        "the limit of what no container names",
        [{ requests: { cpu: "100m" } }],
        { limits: { cpu: "1", memory: "1Gi" } },
        { cpu: "100m", memory: "1Gi" },
      ],
      [
        "also what has no limit",
        [{ requests: { memory: "1Mi" } }],
        { limits: { cpu: "1" } },
        { cpu: "1", memory: "1Mi" },
      ],
      [
        "what was sent",
        [{ requests: { cpu: "100m" } }],
        { limits: { cpu: "1" }, requests: { cpu: "500m" } },
        { cpu: "500m" },
      ],
      ["nothing without limits", [{ requests: { cpu: "100m" } }], { requests: { memory: "1" } }, { memory: "1" }],
      ["nothing at all", [{ requests: { cpu: "100m" } }], {}, undefined],
      [
        "thousandths of the sum",
        [{ requests: { cpu: "400u" } }, { requests: { cpu: "400u" } }],
        { limits: { cpu: "1" } },
        { cpu: "1m" },
      ],
    ])("KIND-Pod-2: the request of a Pod is %s", (_what, parts, sent, expected) => {
      const containers = parts.map((part, i) => ({ ...C, name: `c${i}`, resources: part }));
      expect((own({ containers, resources: sent }) as { requests?: object }).requests).toEqual(expected);
    });

    test("KIND-Pod-2: the Pod's limit of huge pages is what its containers may use", () => {
      const part = { limits: { cpu: "1", [HUGE]: "2Mi" } };
      const containers = [
        { ...C, resources: part },
        { ...C, name: "d", resources: part },
      ];
      expect(own({ containers, resources: { requests: { cpu: "3" } } })).toEqual({
        limits: { [HUGE]: "4Mi" },
        requests: { cpu: "3", [HUGE]: "4Mi" },
      });
      expect(own({ containers, resources: { limits: { cpu: "3" } } })).toEqual({
        limits: { cpu: "3", [HUGE]: "4Mi" },
        requests: { cpu: "2", [HUGE]: "4Mi" },
      });
      expect(own({ containers, resources: {} })).toEqual({});
    });
  },
);
