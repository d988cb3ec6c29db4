// Lets Node run the scripts and their tests: node --import ./tests/typescript.mjs --test tests/*.test.ts compiles
// TypeScript with the installed compiler, and imports .txt files as strings, as the bundler does.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url); // Node loads this file again in the thread of its hooks

export async function load(url, context, next) {
  if (url.endsWith('.txt')) return asModule(`export default ${JSON.stringify(await readFile(new URL(url), 'utf8'))};`);
  if (!/\.tsx?$/.test(url)) return next(url, context);
  return asModule(await compile(fileURLToPath(url)));
}

const asModule = (source) => ({ format: 'module', source, shortCircuit: true });

async function compile(fileName) {
  const { default: ts } = await import('typescript');
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    jsx: ts.JsxEmit.ReactJSX,
    jsxImportSource: 'preact',
    verbatimModuleSyntax: true,
    inlineSourceMap: true,
  };
  return ts.transpileModule(await readFile(fileName, 'utf8'), { fileName, compilerOptions }).outputText;
}
