import { readFileSync, readdirSync } from "node:fs";
import { built } from "./built.ts";
import { BOTH, KUBERNETES, testLibrary } from "./program.ts";

const folder = new URL("java/", import.meta.url).pathname;
const version = /<artifactId>client-java<\/artifactId>\s*<version>(.*)<\/version>/.exec(
  readFileSync(`${folder}pom.xml`, "utf8"),
)![1]!;
const PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin";
const sources = readdirSync(folder).filter((name) => name.endsWith(".java"));

const output = await built({
  name: "java-clients",
  folder,
  commands: (into) => [
    ["mvn", "--batch-mode", "--quiet", `${PLUGIN}:copy-dependencies`, `-DoutputDirectory=${into}/lib`],
    ["javac", "-proc:none", "-encoding", "UTF-8", "-d", `${into}/classes`, "-cp", `${into}/lib/*`, ...sources],
  ],
});

const args = [
  // Each part runs for some seconds, most of it to load classes: optimising code does not pay.
  "-XX:TieredStopAtLevel=1",
  "-XX:+UseSerialGC",
  // By default this client passes over managedFields, for want of memory.
  "-Dkubernetes.client.includeManagedFields=true",
  "-cp",
  "lib/*:classes",
  "Main",
];

testLibrary({
  name: "client-java",
  language: "Java",
  version,
  command: output === undefined ? undefined : { file: "java", args, cwd: output },
  ms: 180_000,
  parts: { core: BOTH, storage: KUBERNETES, informers: KUBERNETES },
});
