// Runs the program that `tools/bundle.js` has bundled.
//
// Each chunk is compiled once: the compiled code of its functions is saved when a process ends, and the next start of the same
// command reads it. Functions that were never called are not in it, and take no memory.
//
// In a checkout the bundle is used only while every source is unchanged. Partial files are never used: files are created by a
// rename, and compiled code has a checksum.
//
// The import of a built-in module of Node.js evaluates all of its exports; getBuiltinModule does not.
const { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule("node:fs");
const { join } = process.getBuiltinModule("node:path");
const v8 = process.getBuiltinModule("node:v8");
const vm = process.getBuiltinModule("node:vm");
const { crc32 } = process.getBuiltinModule("node:zlib");

/** How many programs, and versions of compiled code, are kept. */
const MAX_KEPT = 4;

/**
 * Returns a text that changes with a file; undefined if the file does not exist.
 *
 * @param {string} file
 * @returns {string | undefined}
 */
export function stateOf(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.size} ${found.mtimeMs}`;
}

/**
 * Opens the program of a folder, `/opt/keelson/`, if it is up to date with its sources; undefined without one.
 *
 * @param {string} root
 * @returns {Program | undefined}
 */
export function openProgram(root) {
  const programs = join(root, "dist/program");
  try {
    const { id, sources } = JSON.parse(readFileSync(join(programs, "current.json"), "utf8"));
    // A package has no sources, and its program does not change.
    if (stateOf(`${root}src`) === undefined) return new Program(join(programs, id), id);
    for (const [file, state] of Object.entries(sources)) if (stateOf(root + file) !== state) return undefined;
    return new Program(join(programs, id), id);
  } catch {
    return undefined;
  }
}

/**
 * Writes a file atomically.
 *
 * @param {string} file
 * @param {string | Uint8Array} content
 */
export function writeWhole(file, content) {
  const writing = `${file}.${process.pid}`;
  writeFileSync(writing, content, { mode: 0o600 });
  renameSync(writing, file);
}

/**
 * Removes all folders of a folder except the newest ones.
 *
 * @param {string} folder
 */
export function keepNewest(folder) {
  const all = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
  const aged = all.map(({ name }) => ({ name, time: statSync(join(folder, name)).mtimeMs }));
  for (const { name } of aged.sort((a, b) => b.time - a.time).slice(MAX_KEPT))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** The chunks of a program, each loaded when it is first needed. */
class Program {
  #folder;
  #id;
  #code = [];
  #loaded = new Map();
  #fresh = [];
  /** The version of the code that is compiled now. */
  #version = versionOfCode();
  #require;

  constructor(folder, id) {
    this.#folder = folder;
    this.#id = id;
    this.#require = process.getBuiltinModule("node:module").createRequire(join(folder, "main.js"));
  }

  /**
   * Returns the exports of a chunk.
   *
   * @param {string} name `main.js`
   * @param {string} command each has compiled code of its own
   */
  open(name, command) {
    if (this.#code.length > 0) return this.#load(name);
    const codeFolder = join(this.#folder, "code");
    this.#code = [{ place: codeFolder, folder: join(codeFolder, this.#version, command) }];
    // Root does not run code that other users can write; it can write next to the program.
    if (process.getuid?.() !== 0) {
      const place = cacheFolder();
      if (place) this.#code.push({ place, folder: join(place, `${this.#id}-${this.#version}`, command) });
    }
    process.on("exit", () => this.keep());
    silenceLoader();
    return this.#load(name);
  }

  #load(name) {
    const known = this.#loaded.get(name);
    if (known) return known.exports;
    const chunk = { exports: {} };
    this.#loaded.set(name, chunk);
    const filename = join(this.#folder, name);
    const source = readFileSync(filename, "latin1");
    const cachedData = this.#compiled(name);
    const script = new vm.Script(`(function(exports,require,module,__filename){"use strict";${source}\n})`, {
      filename,
      cachedData,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (!cachedData || script.cachedDataRejected) this.#fresh.push({ name, script });
    const require = (id) => (id.startsWith("./") ? this.#load(id.slice(2)) : this.#require(id));
    script.runInThisContext()(chunk.exports, require, chunk, filename);
    return chunk.exports;
  }

  #compiled(name) {
    for (const { folder } of this.#code) {
      try {
        const file = readFileSync(join(folder, name));
        const code = file.subarray(4);
        if (crc32(code) === file.readUInt32LE()) return code;
      } catch {
        // There is no compiled code yet.
      }
    }
    return undefined;
  }

  /** Saves compiled code in the first writable folder; once, and not if the flags of V8 have changed meanwhile. */
  keep() {
    const fresh = this.#fresh.splice(0);
    if (fresh.length === 0 || versionOfCode() !== this.#version) return;
    const compiled = fresh.map(({ name, script }) => ({ name, code: script.createCachedData() }));
    for (const { place, folder } of this.#code) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        for (const { name, code } of compiled) {
          const sum = Buffer.alloc(4);
          sum.writeUInt32LE(crc32(code));
          writeWhole(join(folder, name), Buffer.concat([sum, code]));
        }
        keepNewest(place);
        return;
      } catch {
        // This folder is not writable.
      }
    }
  }
}

/** A module of the user (of `explore`) is loaded by the default loader, of which Node.js warns each time that it is experimental in scripts. */
function silenceLoader() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).startsWith("vm.USE_MAIN_CONTEXT_DEFAULT_LOADER")) emitWarning.call(process, warning, ...rest);
  };
}

/** Compiled code is valid for one version of V8 with the same flags. */
const versionOfCode = () => `${process.version}-${process.arch}-${v8.cachedDataVersionTag()}`;

/**
 * Returns the cache folder of the user; undefined for a user without a home directory (`docker run -u 12345`).
 *
 * @returns {string | undefined}
 */
export function cacheFolder() {
  const { XDG_CACHE_HOME } = process.env;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, "keelson");
  try {
    return join(process.getBuiltinModule("node:os").homedir(), ".cache/keelson");
  } catch {
    return undefined;
  }
}
