import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRoute, routePath, routeSearch, type Route } from "./routes.ts";

const read = (to: Route): Route => {
  const search = routeSearch(to).toString();
  return parseRoute(routePath(to), search && `?${search}`);
};

const word = fc.string({ minLength: 1, unit: "binary" }).filter((text) => text.isWellFormed());
const name = word.filter((text) => !/^\.{1,2}$/.test(text));
const filter = fc.record(
  {
    namespace: word,
    labels: word,
    fields: word,
    name: word,
    text: word,
    sort: word,
    desc: fc.constant(true),
  },
  { requiredKeys: [] },
);
const kind = fc.record({
  group: fc.constantFrom("", "apps", "example.com"),
  version: fc.constantFrom("v1", "v1beta1"),
  resource: fc.constantFrom("configmaps", "deployments"),
});

test("a route is read back from its URL, whatever its texts are", () => {
  fc.assert(
    fc.property(kind, filter, (of, texts) => {
      const to = { view: "list" as const, ...of, ...texts } as Route;
      expect(read(to)).toEqual(to);
    }),
  );
  fc.assert(
    fc.property(
      kind,
      name,
      fc.option(
        name.filter((text) => text !== "-"),
        { nil: undefined },
      ),
      (of, object, namespace) => {
        const to: Route = {
          view: "object",
          ...of,
          name: object,
          ...(namespace === undefined ? {} : { namespace }),
          tab: "history",
        };
        expect(read(to)).toEqual(to);
      },
    ),
  );
});

test("a URL that is written by hand is read, or is an unknown page", () => {
  expect(parseRoute("/console/", "")).toEqual({ view: "home" });
  expect(parseRoute("/console/list/core/v1/pods/", "?namespace=a&desc=1&sort=Age&at=5")).toEqual({
    view: "list",
    group: "",
    version: "v1",
    resource: "pods",
    namespace: "a",
    sort: "Age",
    desc: true,
  });
  expect(parseRoute("/console/object/apps/v1/deployments/default/web", "?tab=nothing")).toEqual({
    view: "object",
    group: "apps",
    version: "v1",
    resource: "deployments",
    namespace: "default",
    name: "web",
  });
  expect(parseRoute("/console/object/core/v1/nodes/-/a%2Fb", "")).toMatchObject({ name: "a/b" });
  expect(parseRoute("/console/object/core/v1/nodes/-/a%ZZ", "")).toMatchObject({ name: "a%ZZ" });
  expect(parseRoute("/console/storage", "?class=fast&at=7")).toEqual({ view: "storage", query: { class: "fast" } });
  for (const path of [
    "/console/list/core/v1",
    "/console/nothing",
    "/elsewhere",
    "/console/object/a/b/c/d",
    "/console/storage/x",
  ])
    expect(parseRoute(path, "")).toEqual({ view: "unknown", path });
});
