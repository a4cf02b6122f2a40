/** The README's table of `Client`'s methods, generated from their comments. */

import { format } from "prettier";
import ts from "typescript";

const BEGIN = "<!-- Generated from src/client.ts by `npm run reference`. -->";
const END = "<!-- End of the generated part. -->";

/** Return the README with the table updated from `source`, the text of `client.ts`. */
export async function withMethods(readme: string, source: string): Promise<string> {
  const [before, after] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (before < 0 || after < before)
    throw new Error("The README lacks the markers around the methods.");
  const table = ["| method | description |", "| --- | --- |", ...methodsOf(source)].join("\n");
  const page = `${readme.slice(0, before)}${BEGIN}\n\n${table}\n\n${readme.slice(after)}`;
  return format(page, { parser: "markdown", printWidth: 100 });
}

/** Return a row for each public method of the class `Client`. */
function methodsOf(source: string): string[] {
  const file = ts.createSourceFile("client.ts", source, ts.ScriptTarget.Latest, true);
  const client = file.statements.find(
    (statement): statement is ts.ClassDeclaration =>
      ts.isClassDeclaration(statement) && statement.name?.text === "Client",
  );
  if (client === undefined) throw new Error("client.ts has no class Client.");
  const methods = client.members.filter(ts.isMethodDeclaration);
  const open = methods.filter(({ name }) => !ts.isPrivateIdentifier(name));
  return open.map((method) => {
    const name = method.name.getText(file);
    const [comment] = ts.getJSDocCommentsAndTags(method);
    if (comment === undefined) throw new Error(`${name} has no comment.`);
    const words = ts.getTextOfJSDocComment(comment.comment) ?? "";
    const parameters = method.parameters.map(
      ({ name: each, questionToken }) => each.getText(file) + (questionToken ? "?" : ""),
    );
    return `| \`${name}(${parameters.join(", ")})\` | ${words.replaceAll(/\s+/g, " ")} |`;
  });
}
