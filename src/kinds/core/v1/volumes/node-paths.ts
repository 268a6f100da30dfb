/**
 * Volumes that are a directory or a device of the node: hostPath, local, emptyDir (PVS-3..10, DEC-48).
 *
 * @module
 */
import { quantitySign } from "../../../../meta/quantity.ts";
import * as t from "../../../../meta/types.ts";
import { type SourceFamily, form } from "./form.ts";
import { checkNoBacksteps } from "./paths.ts";

const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

const hostPathForm = form(
  t.struct("A file or directory of the node; for development on one node.", {
    path: t.required(t.text("The path on the node; a symbolic link is followed.")),
    type: t.pointer(
      t.text(
        "The required type: empty for no check, `Directory`, `File`, `Socket`, `CharDevice`, `BlockDevice`, or " +
          "`DirectoryOrCreate` and `FileOrCreate`, which create an empty one when there is none.",
        { default: "" },
      ),
    ),
  }),
  (source, at, check) => {
    if (!source.path) return check.errors.required(`${at}.path`);
    checkNoBacksteps(`${at}.path`, source.path, check);
    check.oneOf(`${at}.type`, source.type, HOST_PATH_TYPES);
  },
);

/** A path of the node (PVS-3..8). */
export const hostPath: SourceFamily = { member: "hostPath", pv: hostPathForm, inline: hostPathForm };

/** A disk of the node that claims can bind to (PVS-9, PVS-10). */
export const local: SourceFamily = {
  member: "local",
  pv: form(
    t.struct("A directory or block device of one node.", {
      path: t.required(t.text("The path on the node.")),
      fsType: t.pointer(t.text("File system to make on a block device; chosen when unset.")),
    }),
    (source, at, check) => {
      if (!source.path) return check.errors.required(`${at}.path`);
      checkNoBacksteps(`${at}.path`, source.path, check);
    },
  ),
};

/** A directory that lives as long as the Pod (DEC-48). */
export const emptyDir: SourceFamily = {
  member: "emptyDir",
  inline: form(
    t.struct("A directory that is empty at first and deleted with the Pod.", {
      medium: t.optional(t.text("The medium: empty for that of the node, `Memory`, `HugePages`.")),
      sizeLimit: t.pointer(t.quantity("How much may be stored in it.")),
    }),
    (source, at, check) => {
      if (source.sizeLimit !== undefined && quantitySign(source.sizeLimit) < 0) {
        check.errors.forbidden(`${at}.sizeLimit`, "expected a quantity of 0 or more");
      }
    },
  ),
};
