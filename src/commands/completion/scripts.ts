/** The hidden command that the scripts call. */
export const COMPLETE = "__complete";

const BASH = `# Completion of catalog for bash 3.2 and later.
# Try it:  source <(catalog completion bash)
# Keep it: catalog completion bash > ~/.local/share/bash-completion/completions/catalog
_catalog() {
  local line=\${COMP_LINE:0:COMP_POINT} cur=\${COMP_WORDS[COMP_CWORD]} typed prefix kind value
  COMPREPLY=()
  # bash splits words at = and : and replaces only the part after the split.
  case $cur in [=:]) cur= ;; esac
  typed=\${line##*[[:blank:]]}
  case $typed in *"$cur") prefix=\${typed%"$cur"} ;; *) return ;; esac
  {
    IFS= read -r kind
    while IFS=$'\\t' read -r value _; do
      COMPREPLY+=("\${value#"$prefix"}")
    done
  } < <(catalog ${COMPLETE} --line "$line" 2>/dev/null)
  case $kind in
    files) compopt -o default 2>/dev/null ;;
    folders) compopt -o dirnames 2>/dev/null ;;
    list)
      # After a quote, bash has to close it.
      case $typed in [\\"\\']*) ;; *) compopt -o nospace 2>/dev/null ;; esac
      ;;
  esac
}
complete -F _catalog catalog
`;

const ZSH = `#compdef catalog
# Completion of catalog for zsh.
# Try it:  source <(catalog completion zsh)
# Keep it: catalog completion zsh > a folder of $fpath, as _catalog
_catalog() {
  local -a lines candidates suffix
  local line value
  lines=("\${(@f)$(catalog ${COMPLETE} -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  case \${lines[1]} in
    files) _files ;;
    folders) _files -/ ;;
    *)
      [[ \${lines[1]} = list && -z $QIPREFIX ]] && suffix=(-S '')
      for line in "\${(@)lines[2,-1]}"; do
        value=\${\${line%%$'\\t'*}//:/\\\\:}
        # Without a description, _describe would show "--" after the value.
        candidates+=("$value\${\${line#*$'\\t'}:+:\${line#*$'\\t'}}")
      done
      _describe catalog candidates "\${suffix[@]}"
      ;;
  esac
}
if [ "\${funcstack[1]}" = _catalog ]; then
  _catalog "$@"
else
  # Without a configuration, zsh has not loaded its completion system yet.
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i -D }
  compdef _catalog catalog
fi
`;

const FISH = `# Completion of catalog for fish.
# Try it:  catalog completion fish | source
# Keep it: catalog completion fish > ~/.config/fish/completions/catalog.fish
function __catalog_complete
    # fish gives words with their quotes, and compares candidates with what is between them.
    set -l words (begin; commandline -opc; commandline -ct; end | string replace -ra '[\\'"]' '')
    set -l lines (catalog ${COMPLETE} -- $words[2..] 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path $words[-1]
        case folders
            __fish_complete_directories $words[-1]
        case list
            set -e lines[1]
            test (count $lines) -gt 0; and printf '%s\\n' $lines
            # fish adds a space after the only candidate. A list may continue, so a second candidate ends with the comma; a
            # quoted word needs none, since fish then closes the quote.
            test (count $lines) -eq 1; and not string match -qr '[\\'"]' -- (commandline -ct)
            and printf '%s,\\n' (string split -f 1 \\t -- $lines)
        case '*'
            set -e lines[1]
            test (count $lines) -gt 0; and printf '%s\\n' $lines
    end
end
complete -c catalog -f -a '(__catalog_complete)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
