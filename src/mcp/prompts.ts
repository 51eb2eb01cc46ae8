// The two questions that people ask most, as prompts: which tools answer them, and in what order.

import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';

const asset = {
  name: 'asset',
  description: 'The FQN of the asset, such as shop.public.orders.',
  required: true,
};

interface Question extends Prompt {
  readonly ask: (given: Readonly<Record<string, string>>) => string;
}

const questions: readonly Question[] = [
  {
    name: 'may_i_change_this',
    title: 'May I change this?',
    description: 'Whether a change of an asset would break somebody, whom, and what to do then.',
    arguments: [
      asset,
      {
        name: 'change',
        description: 'The change, in words or as a JSON Schema.',
        required: true,
      },
    ],
    ask: ({ asset: fqn, change }) => `I want to change the data asset ${fqn}: ${change}

Find out whether I may, with the tools of Concordat:
1. Find the asset with list_assets (fqn: ${JSON.stringify(fqn)}), and its contract in force with get_asset_contract (version: "latest").
2. Write the whole new JSON Schema: the schema of the contract with this change, and nothing else changed.
3. Ask assess_impact with it as proposed_schema.
4. Answer in plain words: is it compatible; if not, which changes break, which consumers are affected, and the value or field that shows it for each.
5. If it breaks, say what would be compatible (keep the field and mark it deprecated, make it optional, widen the type), and that publishing it makes a proposal which the consumers answer.
Change nothing.`,
  },
  {
    name: 'who_reads_this',
    title: 'Who reads this?',
    description:
      'Which teams consume an asset, or one field of it, and what they have said they read.',
    arguments: [
      asset,
      { name: 'field', description: 'A field, such as $.amount. Without it: the whole asset.' },
    ],
    ask: ({
      asset: fqn,
      field,
    }) => `Who reads ${field === undefined ? '' : `the field ${field} of `}the data asset ${fqn}?

1. Find the asset with list_assets (fqn: ${JSON.stringify(fqn)}).
2. Ask list_asset_fields for its fields with their consumers, and list_registrations (asset_id) for all consumers.
3. Ask get_lineage for the assets that depend on it.
4. Answer with the teams, what each has said that it reads, and who reads everything because nothing is stated. A team without a stated need counts as a reader of each field.
Change nothing.`,
  },
];

export const prompts: readonly Prompt[] = questions.map(({ ask: _, ...prompt }) => prompt);

/** The messages of a prompt, or what is wrong with the request. */
export function askPrompt(
  name: string,
  given: Readonly<Record<string, string>>,
): GetPromptResult | string {
  const question = questions.find((each) => each.name === name);
  if (question === undefined) {
    return `There is no prompt ${JSON.stringify(name)}. There are ${questions.map((each) => each.name).join(' and ')}.`;
  }
  const missing = question.arguments?.find((each) => each.required && !given[each.name]?.trim());
  if (missing !== undefined) return `${name} needs ${missing.name}: ${missing.description}`;
  return {
    ...(question.description !== undefined && { description: question.description }),
    messages: [{ role: 'user', content: { type: 'text', text: question.ask(given) } }],
  };
}
