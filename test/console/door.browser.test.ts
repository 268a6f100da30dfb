/** How a browser gets into the console, and what else it may not do there. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type Server, createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type TestBrowser,
  type TestServer,
  axe,
  describeInBrowser,
  newLink,
  observed,
  openBrowser,
  picture,
  signIn,
  startServer,
} from "./kit/index.ts";

describeInBrowser("a browser", () => {
  let server: TestServer;
  let browser: TestBrowser;
  /** A page of another origin on the same machine: for cookies it is the same site. */
  let foreign: Server;
  let foreignUrl = "";

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), openBrowser()]);
    const { key, cert } = server.running.pki.server;
    foreign = createServer({ key, cert }, (_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>foreign</title><body>foreign</body>");
    }).listen(0, "127.0.0.1");
    await once(foreign, "listening");
    foreignUrl = `https://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    foreign?.close();
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const cookieName = (): string => `__Host-keelson-${new URL(server.url).port}`;

  test("gets a cookie for a link; URL, storage and scripts have no token", async () => {
    const { page, problems, requests } = await browser.newPage();
    await signIn(page, server);
    expect(page.url()).toBe(`${server.url}/console/`);
    const [cookie, ...others] = await page.context().cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({
      name: cookieName(),
      httpOnly: true,
      secure: true,
      sameSite: "Strict",
      path: "/",
      domain: "127.0.0.1",
    });
    expect(
      await page.evaluate("[document.cookie, localStorage.length, sessionStorage.length, location.hash].join()"),
    ).toBe(",0,0,");
    expect(requests.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);
    expect(problems.filter((text) => text.includes("Content Security Policy"))).toEqual([]);
    await picture(page, "home");
  });

  test("is led to the path that the link names, and asks the API with its cookie", async () => {
    const { page } = await browser.newPage();
    await signIn(page, server, { to: "/console/list/core/v1/configmaps?namespace=default" });
    const ask = (headers: string): Promise<unknown> =>
      page.evaluate(`fetch("/api/v1/namespaces", { headers: ${headers} }).then((answer) => answer.status)`);
    expect(await ask(`{ "x-keelson-console": "1" }`)).toBe(200);
    expect(await ask("{}")).toBe(403);
  });

  test("blocks a script that stands in the page, and everything from elsewhere", async () => {
    const { page, problems } = await browser.newPage();
    await signIn(page, server);
    const found = await page.evaluate(`(async () => {
      const script = document.createElement("script");
      script.textContent = "window.injected = true";
      document.body.append(script);
      const image = document.createElement("img");
      image.setAttribute("onerror", "window.handled = true");
      image.src = "/console/nothing.png";
      document.body.append(image);
      await new Promise((done) => setTimeout(done, 300));
      const evaluated = (() => { try { return new Function("return 1")(); } catch (error) { return error.name; } })();
      const elsewhere = await fetch("${foreignUrl}/", { mode: "no-cors" }).then(() => "sent", () => "blocked");
      return { injected: window.injected, handled: window.handled, evaluated, elsewhere };
    })()`);
    expect(found).toEqual({ injected: undefined, handled: undefined, evaluated: "EvalError", elsewhere: "blocked" });
    await expect.poll(() => problems.join("\n")).toContain("script-src 'self'");
  });

  test("may use a style with the nonce of the page, and none without it", async () => {
    const { page } = await browser.newPage();
    await signIn(page, server);
    const colours = await page.evaluate(`["right", "wrong"].map((which) => {
      const nonce = document.querySelector("meta[name=csp-nonce]").content;
      const style = document.createElement("style");
      style.setAttribute("nonce", which === "right" ? nonce : "AAAA");
      style.textContent = "#" + which + " { color: rgb(1, 2, 3) }";
      document.head.append(style);
      const box = document.createElement("p");
      box.id = which;
      document.body.append(box);
      return getComputedStyle(box).color;
    })`);
    expect(colours).toEqual(["rgb(1, 2, 3)", expect.not.stringContaining("rgb(1, 2, 3)")]);
  });

  test("does nothing with the cookie for a page of another origin on the same machine", async () => {
    const { page } = await browser.newPage();
    await signIn(page, server);
    const other = observed(await page.context().newPage());
    await other.page.goto(foreignUrl);

    const tried = await other.page.evaluate(`(async () => {
      const url = ${JSON.stringify(server.url)};
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "stolen" } });
      const tries = {
        read: () => fetch(url + "/api/v1/secrets", { credentials: "include", headers: { "x-keelson-console": "1" } }),
        write: () => fetch(url + "/api/v1/namespaces/default/configmaps", { method: "POST", mode: "no-cors", credentials: "include", body }),
        form: () => new Promise((done) => {
          const form = document.createElement("form");
          Object.assign(form, { method: "POST", action: url + "/console/session", target: "_blank" });
          document.body.append(form);
          form.submit();
          setTimeout(() => done({ type: "sent" }), 200);
        }),
        socket: () => new Promise((done, fail) => {
          const socket = new WebSocket(url.replace("https", "wss") + "/api/v1/namespaces?watch=1");
          socket.onopen = () => done({ type: "opened" });
          socket.onerror = () => fail(new Error("refused"));
        }),
        frame: () => new Promise((done) => {
          const frame = document.createElement("iframe");
          frame.src = url + "/console/";
          frame.onload = () => { let seen = "hidden"; try { seen = frame.contentDocument.title; } catch {} done({ type: seen }); };
          document.body.append(frame);
        }),
      };
      const results = {};
      for (const [name, run] of Object.entries(tries)) results[name] = await run().then((answer) => answer.type, () => "failed");
      return results;
    })()`);
    expect(tried).toEqual({ read: "failed", write: "opaque", form: "sent", socket: "failed", frame: "hidden" });
    expect((await server.ask("GET", "/api/v1/namespaces/default/configmaps/stolen")).code).toBe(404);
  });

  test("opens a watch over WebSocket from the console's own page", async () => {
    const { page } = await browser.newPage();
    await signIn(page, server);
    const first = await page.evaluate(`new Promise((done, fail) => {
      const socket = new WebSocket(location.origin.replace("https", "wss") + "/api/v1/namespaces?watch=1");
      socket.onmessage = ({ data }) => { done(JSON.parse(data).type); socket.close(); };
      socket.onerror = () => fail(new Error("refused"));
    })`);
    expect(first).toBe("ADDED");
  });

  test("does not sign in by a link on a page of another origin, and the link stays valid", async () => {
    const { page } = await browser.newPage();
    const link = await newLink(server);
    await page.goto(foreignUrl);
    await page.evaluate(`location.href = ${JSON.stringify(link)}`);
    await page.waitForURL(/login/);
    await page.getByText("copy it to the address bar").waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.goto(link);
    await page.waitForURL(`${server.url}/console/`);
  });

  test("stays signed in over a restart of the server, until it signs out", async () => {
    const { page } = await browser.newPage();
    await signIn(page, server);
    const ask = (method: string, path: string): Promise<unknown> =>
      page.evaluate(
        `fetch(${JSON.stringify(path)}, { method: ${JSON.stringify(method)}, headers: { "x-keelson-console": "1" } }).then((answer) => answer.status)`,
      );
    await server.restart();
    expect(await ask("GET", "/console/session")).toBe(200);
    const kept = await page.context().cookies();
    expect(await ask("DELETE", "/console/session")).toBe(200);
    expect(await page.context().cookies()).toEqual([]);
    expect(await ask("GET", "/console/session")).toBe(401);
    await page.context().addCookies(kept);
    expect(await ask("GET", "/console/session")).toBe(401);
    await server.restart();
    expect(await ask("GET", "/console/session")).toBe(401);
  });

  test("finds nothing with axe on the page of a link that was used", async () => {
    const { page } = await browser.newPage();
    const link = await newLink(server);
    await (await browser.newPage()).page.goto(link);
    await page.goto(link);
    expect(await axe(page)).toEqual([]);
  });

  test("gets no file that is not of the page", async () => {
    const answer = await server.ask("GET", "/console/..%2f..%2fpackage.json", { as: {} });
    expect(answer.text).not.toContain(JSON.parse(readFileSync("package.json", "utf8")).description);
    expect(answer.code).toBe(404);
  });
});
