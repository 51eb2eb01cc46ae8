// Completion scripts: plain shell that contains every command, option and choice, so it never runs
// the program while the user types.

import type { CommandModel, OptionModel } from './command-model.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

export function completionScript(shell: Shell, commands: readonly CommandModel[]): string {
  return `${writers[shell](commands).join('\n')}\n`;
}

const writers: Readonly<Record<Shell, (commands: readonly CommandModel[]) => readonly string[]>> = {
  bash: bashLines,
  zsh: zshLines,
  fish: fishLines,
};

function bashLines(commands: readonly CommandModel[]): readonly string[] {
  const names = commands.map(({ name }) => name).join(' ');
  return [
    '# bash completion for concordat: source this file, or copy it to your bash completion folder.',
    '_concordat() {',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in.
    '  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}',
    '  COMPREPLY=()',
    '  if [[ $COMP_CWORD -eq 1 ]]; then',
    `    COMPREPLY=($(compgen -W '${names} help --help --version' -- "$current"))`,
    '    return',
    '  fi',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in.
    '  case "${COMP_WORDS[1]}" in',
    ...commands.flatMap(bashCommand),
    '    help)',
    `      COMPREPLY=($(compgen -W '${names}' -- "$current"))`,
    '      return ;;',
    '  esac',
    '}',
    // Completes file names if nothing else matches.
    'complete -o default -o bashdefault -F _concordat concordat',
  ];
}

function bashCommand({ name, options, choices }: CommandModel): readonly string[] {
  const valued = options.filter(({ takesValue }) => takesValue);
  const known = valued.filter((option) => option.choices.length > 0);
  const free = valued.filter((option) => option.choices.length === 0);
  const flags = options.flatMap(({ names }) => names).join(' ');
  return [
    `    ${name})`,
    '      case "$previous" in',
    ...known.map(
      (option) =>
        `        ${option.names.join('|')}) COMPREPLY=($(compgen -W '${option.choices.join(' ')}' -- "$current")); return ;;`,
    ),
    ...(free.length === 0
      ? []
      : [`        ${free.flatMap(({ names }) => names).join('|')}) return ;;`]),
    '      esac',
    '      if [[ $current == -* ]]; then',
    `        COMPREPLY=($(compgen -W '${flags}' -- "$current"))`,
    ...(choices.length === 0
      ? []
      : ['      else', `        COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current"))`]),
    '      fi',
    '      return ;;',
  ];
}

function zshLines(commands: readonly CommandModel[]): readonly string[] {
  return [
    '#compdef concordat',
    '# zsh completion for concordat: save it as _concordat in a folder of your fpath.',
    '_concordat() {',
    '  local -a commands',
    '  commands=(',
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`),
    '  )',
    '  if (( CURRENT == 2 )); then',
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  case "$words[2]" in',
    ...commands.flatMap(zshCommand),
    "    help) _describe 'command' commands ;;",
    '  esac',
    '}',
    // When sourced, it registers itself; when loaded from fpath, it is the function.
    'if [[ "$funcstack[1]" == "_concordat" ]]; then',
    '  _concordat "$@"',
    'else',
    '  compdef _concordat concordat',
    'fi',
  ];
}

function zshCommand({ name, options, choices }: CommandModel): readonly string[] {
  const rest = choices.length === 0 ? '*:file:_files' : `*:what:(${choices.join(' ')})`;
  return [
    `    ${name})`,
    '      shift words; (( CURRENT-- ))',
    '      _arguments \\',
    ...options.flatMap((option) => zshOption(option).map((spec) => `        ${spec} \\`)),
    `        ${quoted(rest)}`,
    '      ;;',
  ];
}

function zshOption({ names, text, takesValue, choices }: OptionModel): readonly string[] {
  const told = text.replace(/[[\]:\\]/g, '\\$&');
  const value = !takesValue
    ? ''
    : choices.length > 0
      ? `:value:(${choices.join(' ')})`
      : ':value:_files';
  return names.map((name) => quoted(`*${name}[${told}]${value}`));
}

function fishLines(commands: readonly CommandModel[]): readonly string[] {
  return [
    '# fish completion for concordat: save it as ~/.config/fish/completions/concordat.fish.',
    ...commands.map(
      ({ name, summary }) =>
        `complete -c concordat -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ),
    ...commands.flatMap(fishCommand),
  ];
}

function fishCommand({ name, options, choices }: CommandModel): readonly string[] {
  const when = `-n '__fish_seen_subcommand_from ${name}'`;
  const fixed =
    choices.length === 0 ? [] : [`complete -c concordat -f ${when} -a '${choices.join(' ')}'`];
  return [
    ...fixed,
    ...options.map((option) => {
      const flags = option.names.map((each) =>
        each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`,
      );
      const values = option.choices.length === 0 ? '' : ` -x -a '${option.choices.join(' ')}'`;
      const value = option.takesValue && values === '' ? ' -r' : values;
      return `complete -c concordat ${when} ${flags.join(' ')}${value} -d ${quoted(option.text)}`;
    }),
  ];
}

/** Works in every shell: a quote ends the string, is escaped, and the string continues. */
function quoted(text: string): string {
  return `'${text.replaceAll('\n', ' ').replaceAll("'", "'\\''")}'`;
}
