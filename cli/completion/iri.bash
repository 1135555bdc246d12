# Completion of the command iri for bash: source this file, or install it as
# /usr/share/bash-completion/completions/iri.  Commands and options are read
# from the output of `iri help`.

_iri()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local iri=${COMP_WORDS[0]} command=${COMP_WORDS[1]} words=

    COMPREPLY=()
    if ((COMP_CWORD == 1)) || [[ $command = help && COMP_CWORD -eq 2 ]]; then
        words=$("$iri" help 2>/dev/null |
            sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
    elif [[ $word = -* ]]; then
        words=$("$iri" help "$command" 2>/dev/null |
            sed -n 's/^  \(--[a-z-]*\).*/\1/p')
    else
        case $before in
            --root) COMPREPLY=($(compgen -d -- "$word")); return;;
            --as) words="iri-reference iri absolute-iri relative-iri
                uri-reference uri absolute-uri relative-uri";;
            --grammar) words='rfc3987 draft';;
            --level) words='string escapes nfc syntax scheme idn';;
            --form) words='NFC NFD NFKC NFKD syntax';;
            --filename-form) words='any nfc nfd';;
            --match) words="exact normalization variants width case accents
                spelling";;
            --only) words="unreadable unreachable charset mojibake twin
                collision form nfc nfkc bidi look-alike reserved long legacy";;
            --plan) words='mv convmv';;
            --order) words='uax9 components';;
            --to) words='ascii unicode';;
            --mapping) words='uts46 compatible';;
            --*) return;;
            *) case $command in
                   lint) COMPREPLY=($(compgen -d -- "$word")); return;;
                   replay) COMPREPLY=($(compgen -f -- "$word")); return;;
               esac;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _iri iri
