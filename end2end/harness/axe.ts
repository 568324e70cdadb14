import type { Page } from '@playwright/test';
import axe, { type AxeResults, type RunOptions } from 'axe-core';

/** WCAG 2.2 at the levels A and AA, and what is good practice besides. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The part of the page that lies over the rest. */
const OVERLAY = ':popover-open';
/** Below an overlay, which goes with a press anywhere, targets are covered for a while. */
const COVERED = 'target-size';

/** Waits until nothing moves any more: colours follow a change of theme frame by frame, from the outside in. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    for (let quiet = 0; quiet < 3; quiet = document.getAnimations().length === 0 ? quiet + 1 : 0) await frame();
  });
}

/** What is wrong with a page, one line per element; empty when all is well. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the test, not by the page: its content security policy stays as it is.
  await page.evaluate(axe.source);
  await settled(page);
  const overlaid = (await page.locator(OVERLAY).count()) > 0;
  const whole = await check(page, 'html', overlaid ? [COVERED] : []);
  return overlaid ? [...whole, ...(await check(page, OVERLAY, []))] : whole;
}

async function check(page: Page, selector: string, without: string[]): Promise<string[]> {
  const results = await page.evaluate(
    async ({ selector, without, values }) => {
      // What the header of a scrolled page hides is not the page's fault.
      window.scrollTo(0, 0);
      const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
      const { axe } = globalThis as unknown as { axe: { run(context: string, options: RunOptions): Promise<AxeResults> } };
      return axe.run(selector, { runOnly: { type: 'tag', values }, rules });
    },
    { selector, without, values: TAGS },
  );
  return lines(results);
}

function lines({ violations }: AxeResults): string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}\n  ${failureSummary?.replaceAll('\n', ' ')}`),
  );
}
