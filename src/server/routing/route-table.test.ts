import { describe, expect, test } from "vitest";
import type { Route } from "../request/context.ts";
import { RouteTable } from "./route-table.ts";
import { testServer } from "../testing/test-server.ts";

const route = (path: string, more: Partial<Route> = {}): Route => ({ path, handle: () => undefined, ...more });

describe("the table of routes", () => {
  const table = new RouteTable([
    route("/a"),
    route("/a/{b}", { slash: true }),
    route("/a/{b}/{rest...}"),
    route("/a.b/{rest...}"),
  ]);
  const found = (path: string) => {
    const match = table.find(path);
    return match && { path: match.route.path, ...match.params };
  };

  test("a path is whole, its names are segments or the rest", () => {
    expect(found("/a")).toEqual({ path: "/a" });
    expect(found("/a/x")).toEqual({ path: "/a/{b}", b: "x" });
    expect(found("/a/x/")).toEqual({ path: "/a/{b}", b: "x" });
    expect(found("/a/x/y/z")).toEqual({ path: "/a/{b}/{rest...}", b: "x", rest: "y/z" });
    expect(found("/a.b/y\nz")).toEqual({ path: "/a.b/{rest...}", rest: "y\nz" });
  });

  test("a slash at the end counts where the route does not say otherwise, an empty name is none", () => {
    const others = ["/a/", "/a//", "/a//x", "/aXb/y", "/a.b/", "/a.b", "/b/a/x", "a/x", "/A", ""];
    expect(others.map(found).filter((match) => match !== undefined)).toEqual([]);
  });

  test("two routes of one path are a mistake", () => {
    expect(() => new RouteTable([route("/a"), route("/a")])).toThrow("/a");
  });
});

describe("routes that are passed to the server", () => {
  const routes = [
    route("/console/{file...}", {
      public: true,
      methods: ["GET", "HEAD"],
      handle: (_server, { response }, { file }) =>
        file === "none" ? false : response.respond(200, response.headers("text/plain"), Buffer.from(file!)),
    }),
    route("/own", { methods: ["GET"], handle: (_server, { response }) => response.respond(204, {}) }),
  ];

  test("they are served beside the server's own, listed with them, and public only when told", async () => {
    const { ask, json } = await testServer({ routes });
    expect(await (await ask("GET", "/console/js/a.js", { headers: { authorization: "" } })).text()).toBe("js/a.js");
    expect((await ask("GET", "/own")).code).toBe(204);
    expect((await ask("GET", "/own", { headers: { authorization: "" } })).code).toBe(401);
    const { paths } = (await json("GET", "/")).body as { paths: string[] };
    expect(paths).toEqual(expect.arrayContaining(["/own", "/keelson/v1/history", "/api/v1", "/livez"]));
    expect(paths.filter((path) => path.includes("{") || path.includes("console"))).toEqual([]);
  });

  test("other methods are 405, what a route does not have is 404", async () => {
    const { ask, json } = await testServer({ routes });
    expect(await json("POST", "/console/x")).toMatchObject({
      code: 405,
      body: { reason: "MethodNotAllowed", message: "POST is not supported on this path: expected GET or HEAD" },
    });
    expect((await ask("GET", "/console/none")).code).toBe(404);
  });
});
