import { parseAllDocuments } from 'yaml';

import { run } from './programs.ts';

/** What a container is started with. */
export interface Container {
  image: string;
  /** All of its environment. */
  variables: Record<string, string>;
}

interface Pair {
  name: string;
  value: string;
}

/** What a real shell makes of a script that calls `docker run`: one container a call. */
export async function ofDocker(script: string): Promise<Container[]> {
  const noting = `docker() { printf '%s\\0' "$@"; printf '\\036'; }\n`;
  const calls = (await run('bash', ['-c', noting + script])).split('\x1e').slice(0, -1);
  return calls.map((call) => {
    const words = call.split('\0').slice(0, -1);
    const given = words.filter((_, place) => words[place - 1] === '--env').map((word) => word.split(/=(.*)/s));
    const variables = Object.fromEntries(given.map(([name = '', value = '']) => [name, value]));
    return { image: words.at(-1) ?? '', variables };
  });
}

/** The container of the deployment in a manifest, with what Kubernetes decodes out of its secrets. */
export function ofManifest(manifest: string): Container {
  const objects = parseAllDocuments(manifest).map((document) => document.toJS());
  const pod = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec;
  const [container] = pod.containers;
  const variables: Record<string, string> = {};
  for (const { secretRef } of container.envFrom) {
    const { data } = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === secretRef.name);
    for (const [name, value] of Object.entries<string>(data)) variables[name] = Buffer.from(value, 'base64').toString();
  }
  for (const { name, value } of container.env as Pair[]) variables[name] = value;
  return { image: container.image, variables };
}

/** The container of a task definition. */
export function ofTask(definition: string): Container {
  const [container] = JSON.parse(definition).containerDefinitions;
  const variables = Object.fromEntries((container.environment as Pair[]).map(({ name, value }) => [name, value]));
  return { image: container.image, variables };
}
