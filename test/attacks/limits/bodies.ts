/**
 * Bodies as large as they may be: JSON, YAML and protobuf that decoders, pruners and validators have to walk.
 *
 * @module
 */
import { gzipSync } from "node:zlib";
import { type HeaderList, type LimitRequest, type LimitRow, NAMESPACE, filled, list } from "./request.ts";

/** What a body may have, and what an object may have that is stored. */
export const BODY_BYTES = 3_140_000;
export const STORED_BYTES = 1_400_000;

const COLLECTION = `/api/v1/namespaces/${NAMESPACE}`;
export const JSON_TYPE = "application/json";
export const YAML_TYPE = "application/yaml";
/** A list as a table. */
export const TABLE_TYPE = "application/json;as=Table;g=meta.k8s.io;v=v1";
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

export const typed = (type: string, ...more: HeaderList): HeaderList => [["content-type", type], ...more];

/** JSON of any kind: what takes a decoder long, whatever it is for. `room` is how many bytes there are. */
export const VALUES: Readonly<Record<string, (room: number) => string>> = {
  "open brackets": (room) => "[".repeat(room),
  "open braces": (room) => `{"a":`.repeat(room / 5),
  "nesting of 1,000, many times": (room) => `[${filled(room, () => `${"[".repeat(1000)}${"]".repeat(1000)}`)}]`,
  "objects in objects, 1,000 deep, many times": (room) => `[${filled(room, () => `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`)}]`,
  "empty objects": (room) => `[${filled(room, () => "{}")}]`,
  "empty lists": (room) => `[${filled(room, () => "[]")}]`,
  "numbers of one digit": (room) => `[${filled(room, () => "1")}]`,
  "numbers of 19 digits": (room) => `[${filled(room, (i) => String(9_000_000_000_000_000_000n + BigInt(i)))}]`,
  "numbers with exponents": (room) => `[${filled(room, (i) => `1e${i % 300}`)}]`,
  "one number of all digits": (room) => "9".repeat(room),
  "one fraction of all digits": (room) => `0.${"9".repeat(room)}`,
  "one number of all digits and an exponent": (room) => `${"9".repeat(room - 20)}e-999999`,
  "one exponent of all digits": (room) => `1e${"9".repeat(room)}`,
  "numbers of 10,000 digits": (room) => `[${filled(room, () => "9".repeat(10_000))}]`,
  "fractions of 10,000 digits": (room) => `[${filled(room, () => `0.${"1".repeat(10_000)}`)}]`,
  "nulls": (room) => `[${filled(room, () => "null")}]`,
  "empty texts": (room) => `[${filled(room, () => `""`)}]`,
  "one text": (room) => `"${"x".repeat(room)}"`,
  "one text of other letters": (room) => `"${"é".repeat(room / 2)}"`,
  "one text of pairs": (room) => `"${"😀".repeat(room / 4)}"`,
  "one text of escapes": (room) => `"${"\\u0041".repeat(room / 6)}"`,
  "one text of halves of pairs": (room) => `"${"\\ud83d".repeat(room / 6)}"`,
  "one text of backslashes": (room) => `"${"\\\\".repeat(room / 2)}"`,
  "one text of lines": (room) => `"${"\\n".repeat(room / 2)}"`,
  "one text of angle brackets": (room) => `"${"<".repeat(room)}"`,
  "texts of one escape": (room) => `[${filled(room, () => `"\\n"`)}]`,
  "members of different names": (room) => `{${filled(room, (i) => `"k${i}":1`)}}`,
  "members of one name": (room) => `{${filled(room, () => `"a":1`)}}`,
  "members of two names in turns": (room) => `{${filled(room, (i) => `"a${i % 2}":1`)}}`,
  "members that all come twice": (room) => `{${filled(room, (i) => `"k${i >> 1}":1`)}}`,
  "members whose names are numbers": (room) => `{${filled(room, (i) => `"${i}":1`)}}`,
  "members whose names are large numbers": (room) => `{${filled(room, (i) => `"${4_000_000_000 - i * 7}":1`)}}`,
  "members whose names have escapes": (room) => `{${filled(room, (i) => `"\\u0061${i}":1`)}}`,
  "members whose names are long and alike": (room) => `{${filled(room, (i) => `"${"a".repeat(500)}${i}":1`)}}`,
  "members of the prototype": (room) => `{${filled(room, () => `"__proto__":{}`)}}`,
  "one name of all letters": (room) => `{"${"k".repeat(room)}":1}`,
  "objects of one member each": (room) => `[${filled(room, (i) => `{"k${i}":1}`)}]`,
  "objects with the same member twice": (room) => `[${filled(room, () => `{"a":1,"a":2}`)}]`,
  "texts of 64 letters": (room) => `[${filled(room, (i) => `"${String(i).padStart(64, "x")}"`)}]`,
  "blanks": (room) => `[${" ".repeat(room)}]`,
  "blanks and no value": (room) => " ".repeat(room),
  "zero bytes": (room) => "\0".repeat(room),
}; // prettier-ignore

/** YAML: the same, and what only YAML has. */
export const YAMLS: Readonly<Record<string, (room: number) => string>> = {
  "members, one a line": (room) => filled(room, (i) => `k${i}: 1`, "\n"),
  "members of one name": (room) => filled(room, () => `a: 1`, "\n"),
  "items, one a line": (room) => filled(room, () => `- 1`, "\n"),
  "items of texts that look like numbers": (room) => filled(room, () => `- 1:2:3`, "\n"),
  "items of dates": (room) => filled(room, () => `- 2001-12-14t21:59:43.10-05:00`, "\n"),
  "items of long numbers": (room) => filled(room, () => `- ${"9".repeat(1000)}`, "\n"),
  "items of underscores": (room) => filled(room, () => `- 1${"_".repeat(1000)}`, "\n"),
  "one long scalar": (room) => `a: ${"x".repeat(room)}`,
  "one scalar of many lines": (room) => `a: ${"x\n ".repeat(room / 3)}`,
  "one quoted scalar of many lines": (room) => `a: "${"x\n ".repeat(room / 3)}"`,
  "one block of many lines": (room) => `a: |\n${" x\n".repeat(room / 3)}`,
  "one folded block of empty lines": (room) => `a: >\n x\n${"\n".repeat(room)}`,
  "one block of deep indentation": (room) => `a: |\n${filled(room, () => `${" ".repeat(1000)}x`, "\n")}`,
  "anchors": (room) => filled(room, (i) => `k${i}: &a${i} 1`, "\n"),
  "anchors of one name": (room) => filled(room, (i) => `k${i}: &a 1`, "\n"),
  "aliases of a large list": (room) => `a: &a [${filled(room / 2, () => "1")}]\nb: [${filled(room / 2 - 100, () => "*a")}]`,
  "aliases of aliases": () => `a0: &a0 [x]\n${list(30, (i) => `a${i + 1}: &a${i + 1} [${list(9, () => `*a${i}`).join(",")}]`).join("\n")}`,
  "aliases of texts": (room) => `a: &a ${"x".repeat(1000)}\nb: [${filled(room, () => "*a")}]`,
  "merge keys": (room) => `a: &a {${filled(1000, (i) => `k${i}: 1`)}}\nb:\n${filled(room, (i) => ` - {<<: *a, x: ${i}}`, "\n")}`,
  "merge keys of many": (room) => `a: &a {b: 1}\nc: {<<: [${filled(room, () => "*a")}]}`,
  "tags": (room) => filled(room, () => `- !!str 1`, "\n"),
  "a long tag": (room) => `- !${"a".repeat(room)} 1`,
  "comments": (room) => `a: 1\n${"#\n".repeat(room / 2)}`,
  "one long comment": (room) => `a: 1 #${"x".repeat(room)}`,
  "documents": (room) => "---\n".repeat(room / 4),
  "documents of one member": (room) => "---\na: 1\n".repeat(room / 9),
  "directives": (room) => `${"%TAG ! tag:a,2000:\n".repeat(room / 20)}---\na: 1`,
  "empty lines": (room) => `a: 1${"\n".repeat(room)}`,
  "open flow lists": (room) => "[".repeat(room),
  "nesting by indentation": () => list(1000, (i) => `${" ".repeat(i)}a:`).join("\n"),
  "nesting in lines": (room) => "- ".repeat(room / 2),
  "questions": (room) => "? ".repeat(room / 2),
  "question keys": (room) => filled(room, (i) => `? k${i}\n: 1`, "\n"),
  "colons": (room) => ":".repeat(room),
  "tabs": (room) => "\t".repeat(room),
  "blanks": (room) => `a:${" ".repeat(room)}1`,
  "flow members": (room) => `{${filled(room, (i) => `k${i}: 1`)}}`,
  "flow texts in quotes": (room) => `[${filled(room, () => `'a''b'`)}]`,
  "escapes": (room) => `a: "${"\\x41".repeat(room / 4)}"`,
  "a list without blanks": (room) => filled(room, () => `-a`, "\n"),
  "binary": (room) => `a: !!binary ${"QUFB".repeat(room / 4)}`,
  "sets": (room) => `a: !!set {${filled(room, (i) => `k${i}`)}}`,
  "omaps": (room) => `a: !!omap [${filled(room, (i) => `k${i}: 1`)}]`,
}; // prettier-ignore

const gzip = (text: string): LimitRequest => ({
  who: "nobody",
  method: "POST",
  path: REVIEWS,
  headers: typed(JSON_TYPE, ["content-encoding", "gzip"]),
  body: gzipSync(text),
});

/** A user with a credential may request his own rights. */
export const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/** Every value and every YAML as a body of its own, and as a member that is not known. */
export function decoderRows(who: LimitRequest["who"] = "nobody"): LimitRow[] {
  const review = (value: string): string =>
    `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"unknown":${value}}}`;
  const post = (body: string, type: string, query = ""): LimitRequest => ({
    who,
    method: "POST",
    path: `${REVIEWS}${query}`,
    headers: typed(type),
    body,
  });
  const rows: LimitRow[] = [];
  for (const [name, make] of Object.entries(VALUES)) {
    rows.push({
      name: `${who}: JSON, ${name}`,
      requests: () => [
        post(make(BODY_BYTES), JSON_TYPE),
        post(review(make(BODY_BYTES - 200)), JSON_TYPE, "?fieldValidation=Strict"),
        post(review(make(STORED_BYTES)), JSON_TYPE, "?fieldValidation=Warn"),
        post(review(make(BODY_BYTES - 200)), JSON_TYPE, "?fieldValidation=Ignore"),
        post(review(make(BODY_BYTES - 200)), YAML_TYPE),
      ],
    });
  }
  for (const [name, make] of Object.entries(YAMLS)) {
    rows.push({
      name: `${who}: YAML, ${name}`,
      requests: () => [
        post(make(BODY_BYTES), YAML_TYPE),
        post(make(200_000), YAML_TYPE),
        post(make(60_000), YAML_TYPE),
        post(make(20_000), YAML_TYPE),
      ],
    });
  }
  rows.push({ name: `${who}: gzip that becomes too much`, requests: () => [gzip("[".repeat(400 << 20))] });
  rows.push({
    name: `${who}: gzip that becomes 3 MB`,
    requests: () => [gzip(VALUES["members of different names"]!(BODY_BYTES))],
  });
  return rows;
}

const reviewOf = (kind: string, spec: string): string =>
  `{"apiVersion":"authorization.k8s.io/v1","kind":"${kind}","spec":{${spec}}}`;

/** Members of the reviews, as large as they may be. */
const REVIEW_SPECS: Readonly<Record<string, (room: number) => string>> = {
  "a long name": (room) => `"resourceAttributes":{"namespace":"a","name":"${"x".repeat(room)}","verb":"get","resource":"pods"}`,
  "a long namespace": (room) => `"resourceAttributes":{"namespace":"${"x".repeat(room)}","verb":"get","resource":"pods"}`,
  "a long resource": (room) => `"resourceAttributes":{"namespace":"a","verb":"get","resource":"${"pods/".repeat(room / 5)}"}`,
  "a long verb": (room) => `"resourceAttributes":{"namespace":"a","verb":"${"x".repeat(room)}","resource":"pods"}`,
  "a long group": (room) => `"resourceAttributes":{"namespace":"a","verb":"get","group":"${"a.".repeat(room / 2)}","resource":"pods"}`,
  "a long path": (room) => `"nonResourceAttributes":{"verb":"get","path":"/${"a/".repeat(room / 2)}"}`,
  "a long raw label selector": (room) => `"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"rawSelector":"${filled(room, (i) => `k${i}=v`)}"}}`,
  "a long raw field selector": (room) => `"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"rawSelector":"${filled(room, (i) => `k${i}=v`)}"}}`,
  "many label requirements": (room) => `"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[${filled(room, (i) => `{"key":"k${i}","operator":"In","values":["a"]}`)}]}}`,
  "many field requirements": (room) => `"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"requirements":[${filled(room, (i) => `{"key":"k${i}","operator":"In","values":["a"]}`)}]}}`,
  "many bad requirements": (room) => `"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[${filled(room, () => `{"key":"!","operator":"x"}`)}]}}`,
  "many bad field requirements": (room) => `"resourceAttributes":{"verb":"list","resource":"pods","fieldSelector":{"requirements":[${filled(room, () => `{"key":"","operator":"x"}`)}]}}`,
  "one requirement of many values": (room) => `"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[{"key":"k","operator":"In","values":[${filled(room, (i) => `"v${i}"`)}]}]}}`,
  "one requirement of many bad values": (room) => `"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[{"key":"k","operator":"In","values":[${filled(room, () => `"?"`)}]}]}}`,
  "many groups": (room) => `"user":"a","groups":[${filled(room, (i) => `"g${i}"`)}],"resourceAttributes":{"verb":"get","resource":"pods","namespace":"tenant"}`,
  "many extras": (room) => `"user":"a","extra":{${filled(room, (i) => `"k${i}":["v"]`)}},"resourceAttributes":{"verb":"get","resource":"pods","namespace":"tenant"}`,
  "a long user": (room) => `"user":"system:serviceaccount:${"a:".repeat(room / 2)}","resourceAttributes":{"verb":"get","resource":"pods","namespace":"tenant"}`,
}; // prettier-ignore

/** Questions about rights, and tokens. */
export function reviewRows(): LimitRow[] {
  const rows: LimitRow[] = [];
  const all = [
    ["nobody", REVIEWS, "SelfSubjectAccessReview"],
    [
      "tenant",
      `/apis/authorization.k8s.io/v1/namespaces/${NAMESPACE}/localsubjectaccessreviews`,
      "LocalSubjectAccessReview",
    ],
    ["admin", "/apis/authorization.k8s.io/v1/subjectaccessreviews", "SubjectAccessReview"],
  ] as const;
  for (const [name, make] of Object.entries(REVIEW_SPECS)) {
    for (const [who, path, kind] of all) {
      rows.push({
        name: `${who}: ${kind}, ${name}`,
        requests: () => [
          {
            who,
            method: "POST",
            path,
            headers: typed(JSON_TYPE),
            body: reviewOf(kind, make(BODY_BYTES - 1000)).replace(
              `"spec"`,
              `"metadata":{"namespace":"${kind.startsWith("Local") ? NAMESPACE : ""}"},"spec"`,
            ),
          },
        ],
      });
    }
  }
  const rules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
  rows.push({
    name: "nobody: SelfSubjectRulesReview of a long namespace",
    requests: () => [
      {
        who: "nobody",
        method: "POST",
        path: rules,
        headers: typed(JSON_TYPE),
        body: reviewOf("SelfSubjectRulesReview", `"namespace":"${"a".repeat(BODY_BYTES - 1000)}"`),
      },
    ],
  });
  const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
  const tokenReview = (token: string, more = ""): LimitRequest => ({
    who: "admin",
    method: "POST",
    path: reviews,
    headers: typed(JSON_TYPE),
    body: `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"${token}"${more}}}`,
  });
  const jwt = (claims: string): string =>
    [`{"alg":"RS256","kid":"a"}`, claims, "s"].map((part) => Buffer.from(part).toString("base64url")).join(".");
  rows.push({
    name: "admin: TokenReview of a long token",
    requests: () => [
      tokenReview("a".repeat(BODY_BYTES - 1000)),
      tokenReview("a.".repeat(BODY_BYTES / 2 - 1000)),
      tokenReview(jwt(`{"iss":"a",${filled(2_200_000, (i) => `"k${i}":1`)}}`)),
      tokenReview("a", `,"audiences":[${filled(BODY_BYTES - 1000, (i) => `"a${i}"`)}]`),
    ],
  });
  return rows;
}

export { COLLECTION };
