# Completion of the command iri for bash: source this file, or install it as
# /usr/share/bash-completion/completions/iri.  Commands and options are read
# from the output of `iri help`.

_iri()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local iri=${COMP_WORDS[0]} command=${COMP_WORDS[1]} words= first= colon=
    local -i at=COMP_CWORD

    COMPREPLY=()
    # bash splits "variants:ar" at the colon, and replaces only "ar"
    [[ $word = : ]] && word= at+=1
    if ((at > 4)) && [[ ${COMP_WORDS[*]:at - 3:3} = "--match "*" :" ]]; then
        colon=${COMP_WORDS[at - 2]}: before=--match
        word=$colon$word
    fi
    # the last word of a list
    [[ $word = *,* ]] && first=${word%,*},
    if ((COMP_CWORD == 1)) && [[ $word = -* ]]; then
        words='--help --version'
    elif ((COMP_CWORD == 1)) || [[ $command = help && COMP_CWORD -eq 2 ]]; then
        words=$("$iri" help 2>/dev/null |
            sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
    elif [[ $word = -* ]]; then
        words=$("$iri" help "$command" 2>/dev/null |
            sed -n 's/^  \(--[a-z-]*\).*/\1/p')
    else
        case $before in
            --root) COMPREPLY=($(compgen -d -- "$word")); return;;
            --config) COMPREPLY=($(compgen -f -- "$word")); return;;
            --server) COMPREPLY=($(compgen -W "nginx httpd" -- "$word")); return;;
            --charset | --filename-charset | --query-charset | --from | \
                --repertoire)
                words="UTF-8 IBM866 ISO-8859-2 ISO-8859-3 ISO-8859-4 ISO-8859-5
                    ISO-8859-6 ISO-8859-7 ISO-8859-8 ISO-8859-8-I ISO-8859-10
                    ISO-8859-13 ISO-8859-14 ISO-8859-15 ISO-8859-16 KOI8-R
                    KOI8-U macintosh windows-874 windows-1250 windows-1251
                    windows-1252 windows-1253 windows-1254 windows-1255
                    windows-1256 windows-1257 windows-1258 x-mac-cyrillic GBK
                    gb18030 Big5 EUC-JP Shift_JIS EUC-KR"
                [[ $before = --filename-charset ]] && words+=" percent";;
            --invalid) words='404 400 pass';;
            --ambiguous) words='404 300';;
            --repair) words="off double-encoding mojibake %u invisible
                trailing plus";;
            --as) words="iri-reference iri absolute-iri relative-iri
                uri-reference uri absolute-uri relative-uri";;
            --grammar) words='rfc3987 draft';;
            --level) words='string escapes nfc syntax scheme idn';;
            --form) words='NFC NFD NFKC NFKD syntax';;
            --filename-form) words='any nfc nfd';;
            --match) words="exact normalization variants variants:arabic
                variants:romanian variants:joiners width punctuation case
                case:tr case:az accents accents:de accents:latin spelling";;
            --only) words="unreadable unreachable charset mojibake twin
                collision form nfc nfkc bidi look-alike reserved long legacy";;
            --plan) words='mv convmv';;
            --order) words='uax9 components';;
            --to) words='ascii unicode';;
            --mapping) words='uts46 compatible';;
            --*) return;;
            *) case $command in
                   lint) COMPREPLY=($(compgen -d -- "$word")); return;;
                   replay|log) COMPREPLY=($(compgen -f -- "$word")); return;;
               esac;;
        esac
    fi
    COMPREPLY=($(compgen -P "$first" -W "$words" -- "${word#"$first"}"))
    COMPREPLY=("${COMPREPLY[@]#"$colon"}")
}
complete -F _iri iri
