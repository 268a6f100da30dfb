/**
 * Which files the package may have: the programs, the compiled modules, the declarations of its entries, the console, and what
 * people read.
 *
 * @module
 */
import type { Step } from "./step.ts";

/** A file of the package as `npm pack --json` tells of it. */
export interface PackedFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** A package as `npm pack --json` tells of it. */
export interface Packed {
  readonly filename: string;
  /** Of the tarball, in bytes. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly PackedFile[];
}

const MIB = 1024 ** 2;
/** At most this much to download, and on the disk. Version 0.1.0 has 6.7 and 21 MiB. */
const MAX_PACKED = 8 * MIB;
const MAX_UNPACKED = 28 * MIB;
const MAX_FILE = 4 * MIB;

const ALLOWED = [
  /^(?:LICENSE|package\.json|(?:ARCHITECTURE|CHANGELOG|CONTRIBUTING|README)\.md)$/,
  /^bin\/[\w-]+\.js$/,
  /^dist\/program\/current\.json$/,
  /^dist\/program\/[0-9a-f]{16}\/[\w.-]+\.js$/,
  /^dist\/small\/[\w.-]+\.js$/,
  /^dist\/small\/LICENSE\.[\w-]+$/,
  /^dist\/page\/[\w./-]+\.(?:html|js|css|svg|png|woff2|txt)$/,
  /^dist\/(?!program\/|small\/|page\/)[\w./-]+\.(?:js|d\.ts)$/,
  /^docs\/[\w./-]+\.(?:md|png|svg|webp)$/,
  /^examples\/[\w./-]+$/,
  /^packaging\/[\w./-]+$/,
];
/** What is in no folder: tests, source maps, what a run leaves, secrets, binaries of examples. */
const REFUSED =
  /(?:^(?!examples\/).*\.(?:test|spec)\.|\.map$|\.tsbuildinfo$|\/testing\/(?:fixtures|golden)\/|(?:^|\/)(?:node_modules|test|coverage|data|\.results)\/|\.log$|\.tgz$|\.pem$|\.key$|\.token$|(?:^|\/)\.(?!dockerignore$|helmignore$))/;
const NEEDED = [
  "bin/keelson.js",
  "bin/program.js",
  "bin/run.js",
  "dist/program/current.json",
  "dist/app/index.d.ts",
  "dist/console/index.js",
  "dist/page/index.html",
  "dist/small/small-main.js",
  "LICENSE",
  "README.md",
];

/** Returns what is wrong with the files of the package, each in one sentence. */
export function wrongContents({ files, size, unpackedSize }: Packed): string[] {
  const paths = new Set(files.map(({ path }) => path));
  const programs = new Set([...paths].flatMap((path) => /^dist\/program\/([0-9a-f]{16})\//.exec(path)?.[1] ?? []));
  return [
    ...[...paths]
      .filter((path) => REFUSED.test(path) || !ALLOWED.some((form) => form.test(path)))
      .map((path) => `${path} is not needed`),
    ...NEEDED.filter((path) => !paths.has(path)).map((path) => `${path} is missing`),
    ...files.filter((file) => file.size > MAX_FILE).map((file) => `${file.path} has ${mib(file.size)}`),
    ...(programs.size === 1 ? [] : [`expected one program in dist/program, found ${programs.size}`]),
    ...(size <= MAX_PACKED ? [] : [`expected at most ${mib(MAX_PACKED)} packed, found ${mib(size)}`]),
    ...(unpackedSize <= MAX_UNPACKED
      ? []
      : [`expected at most ${mib(MAX_UNPACKED)} unpacked, found ${mib(unpackedSize)}`]),
  ];
}

/** Judges the files of the package. */
export function contentsStep(packed: Packed): Step {
  const wrong = wrongContents(packed);
  const found = `${packed.files.length} files, ${mib(packed.size)} packed, ${mib(packed.unpackedSize)} unpacked`;
  const step = { name: "contents", found };
  if (wrong.length === 0) return { ...step, verdict: "ready", next: "the tarball will be published" };
  const more = wrong.length > 3 ? `; ${wrong.length - 3} more` : "";
  return { ...step, verdict: "wrong", next: `${wrong.slice(0, 3).join("; ")}${more}` };
}

const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
