import { expect, test } from "vitest";
import { registryOf, widget } from "../../registry/testing/registry.ts";
import { requestInfo } from "../../meta/request-info.ts";
import { ServerMetrics } from "./metrics.ts";

async function setUp() {
  const { kinds } = await registryOf([widget("v1")]);
  const metrics = new ServerMetrics(kinds, [], { 1: 0, 2: 0 });
  const get = (path: string): void => {
    const info = requestInfo("GET", `/apis/example.com/v1/widgets/${path}`, () => false);
    const resource = kinds.find("example.com", "v1", "widgets");
    metrics.responded({ info, resource, response: { code: 200, bytesOut: 10 } }, 1, () => 0);
  };
  const lines = async (name: string): Promise<string[]> =>
    (await metrics.text()).split("\n").filter((line) => line.startsWith(`${name}{`));
  return { kinds, metrics, get, lines };
}

test("requests on a subresource have a series of their own", async () => {
  const { get, lines } = await setUp();
  get("a");
  get("a/status");
  get("a/status");
  expect(await lines("apiserver_request_total")).toEqual([
    'apiserver_request_total{verb="get",group="example.com",version="v1",resource="widgets",subresource="",code="200"} 1',
    'apiserver_request_total{verb="get",group="example.com",version="v1",resource="widgets",subresource="status",code="200"} 2',
  ]);
});

test("a kind that is compiled again goes on with its series", async () => {
  const { kinds, get, lines } = await setUp();
  get("a");
  await kinds.set({ versions: [widget("v1", { description: "Another one." })] });
  get("a");
  expect(await lines("apiserver_request_total")).toEqual([expect.stringMatching(/ 2$/)]);
});

test("the series of a kind go with it, also when its watches end after it, and come back with it", async () => {
  const { kinds, metrics, get, lines } = await setUp();
  const { definition } = kinds.find("example.com", "v1", "widgets")!;
  get("a");
  metrics.watchers(definition, 1);
  expect(await lines("apiserver_longrunning_requests")).toEqual([expect.stringMatching(/ 1$/)]);
  await kinds.remove("widgets.example.com");
  metrics.watchers(definition, -1);
  expect([await lines("apiserver_request_total"), await lines("apiserver_longrunning_requests")]).toEqual([[], []]);
  await kinds.set({ versions: [definition] });
  get("a");
  expect(await lines("apiserver_request_total")).toEqual([expect.stringMatching(/ 1$/)]);
});
