// Rules of oxlint for the sources: what the process shares is passed in, so that two clusters share nothing by accident.

const noModuleLet = {
  create: (context) => ({
    Program({ body }) {
      for (const statement of body) {
        const declaration = statement.declaration ?? statement;
        if (declaration.type !== "VariableDeclaration" || declaration.kind === "const") continue;
        const message = `expected const at the level of a module, found ${declaration.kind}: make it a member of a part that is passed in`;
        context.report({ node: declaration, message });
      }
    },
  }),
};

export default { meta: { name: "keelson" }, rules: { "no-module-let": noModuleLet } };
