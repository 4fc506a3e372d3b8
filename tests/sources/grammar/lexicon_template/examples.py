"""Templates and lexicons of the tests, written into a folder."""

from pathlib import Path

import pytest

from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.source import GrammarError

# A small lexicon `l.csv` in which some features do not apply.
LEXICON = """\
word,kind,tags,form_a,form_b
one,x,red big,1a,1b
two,x,red,2a,_
three,y,big,_,3b
"""
FOUR_ROWS = f"{LEXICON}four,_,_,4a,4b\n"

NOUNS = """\
word,category,class,form_sg,form_pl,gloss
author,n,human,author,authors,author
pilot,n,human,pilot,pilots,pilot
car,n,thing,car,cars,car
"""
VERBS = """\
word,category,subjects,pres_sg,pres_pl
smile,v,human,smiles,smile
shine,v,thing,shines,shine
be old,v,human thing,is old,are old
"""
ENGLISH = """\
# The verb agrees with its subject, not with the noun beside it.
meta name: english near
meta language: en
lexicon: nouns.csv
lexicon: verbs.csv

choose NUM: sg pl
choose OTHER: sg pl, OTHER != NUM
slot S: category = n
slot A: category = n, word != S.word     # the attractor
slot V: category = v, subjects has S.class

regions: subject | attractor | adverb | verb | end
condition match_near:       The {S.form[NUM]} | near the {A.form[NUM]} | | {V.pres[NUM]} | .
condition mismatch_near:    The {S.form[NUM]} | near the {A.form[NUM]} | | {V.pres[OTHER]} | .
condition match_far:        The {S.form[NUM]} | near the {A.form[OTHER]} | really | {V.pres[NUM]}
    | .
condition mismatch_far:     The {S.form[NUM]} | near the {A.form[OTHER]} | really | {V.pres[OTHER]}
    | .
gloss match_near: | | | {V.word}-{NUM} | .
prediction: (4;%match_near%) < (4;%mismatch_near%)
description: Without an attractor, the verb that agrees is less surprising.
prediction: [(4;%match_far%) <
    (4;%mismatch_far%)]
"""

# Kryvosheieva and Levy's kinds of design, with a few words each. The auxiliary agrees with both
# arguments; endings are rows of their own.
BASQUE_LEXICON = """\
stem,category,class,case,number,subject,object,gloss
gizon,n,human,_,_,_,_,man
mutil,n,human,_,_,_,_,boy
liburu,n,text,_,_,_,_,book
egunkari,n,text,_,_,_,_,newspaper
irakurri,v,_,_,_,_,_,read
ak,ending,_,erg,sg,_,_,ERG.SG
ek,ending,_,erg,pl,_,_,ERG.PL
a,ending,_,abs,sg,_,_,ABS.SG
ak,ending,_,abs,pl,_,_,ABS.PL
du,aux,_,_,_,sg,sg,3SG>3SG
dute,aux,_,_,_,pl,sg,3PL>3SG
ditu,aux,_,_,_,sg,pl,3SG>3PL
dituzte,aux,_,_,_,pl,pl,3PL>3PL
"""
BASQUE = """\
lexicon: basque.csv
slot S: category = n, class = human
slot ERG: category = ending, case = erg
slot O: category = n, class = text
slot ABS: category = ending, case = abs, number != ERG.number
slot V: category = v
slot AUX: category = aux, subject = ERG.number, object = ABS.number
slot WRONG: category = aux, subject != AUX.subject, object = AUX.object
regions: subject | object | verb | auxiliary | end
condition grammatical: {S.stem}{ERG.stem} | {O.stem}{ABS.stem} | {V.stem} | {AUX.stem} | .
condition ungrammatical: {S.stem}{ERG.stem} | {O.stem}{ABS.stem} | {V.stem} | {WRONG.stem} | .
gloss grammatical: {S.gloss}-{ERG.gloss} {O.gloss}-{ABS.gloss} {V.gloss} {AUX.gloss}
prediction: (4;%grammatical%) < (4;%ungrammatical%)
"""
# In the perfective the verb agrees with the object's gender, which chooses its column.
HINDI_LEXICON = """\
word,category,class,gender,obl_sg,perf_m,perf_f,objects,gloss
लड़का,n,human,m,लड़के,_,_,_,boy
औरत,n,human,f,औरत,_,_,_,woman
किताब,n,text,f,किताब,_,_,_,book
अख़बार,n,text,m,अख़बार,_,_,_,newspaper
रोटी,n,food,f,रोटी,_,_,_,bread
फल,n,food,m,फल,_,_,_,fruit
पढ़ना,v,_,_,_,पढ़ा,पढ़ी,text,read
खाना,v,_,_,_,खाया,खाई,food,eat
"""
HINDI = """\
lexicon: hindi.csv
slot S: category = n, class = human, gender = m
slot O: category = n, gender = f
slot V: category = v, objects has O.class
choose WRONG: m f, WRONG != O.gender
condition grammatical: {S.obl_sg} | ने | {O.word} | {V.perf[O.gender]} | ।
condition ungrammatical: {S.obl_sg} | ने | {O.word} | {V.perf[WRONG]} | ।
prediction: (4;%grammatical%) < (4;%ungrammatical%)
"""
# A slot of concords agrees with the noun by its class; the possessor's has to have another form.
SWAHILI_LEXICON = """\
word,category,class,subj,conn
mtoto,n,1,_,_
watoto,n,2,_,_
mti,n,3,_,_
kitabu,n,7,_,_
vitabu,n,8,_,_
anguka,v,_,_,_
_,concord,1,a,wa
_,concord,2,wa,wa
_,concord,3,u,wa
_,concord,7,ki,cha
_,concord,8,vi,vya
"""
SWAHILI = """\
lexicon: swahili.csv
slot S: category = n, class in (7 8)
slot AGR: category = concord, class = S.class
slot P: category = n, class in (1, 2)
slot WRONG: category = concord, class = P.class, subj != AGR.subj
slot V: category = v
condition good: {S.word} | {AGR.conn} {P.word} | {AGR.subj}li{V.word} | .
condition bad: {S.word} | {AGR.conn} {P.word} | {WRONG.subj}li{V.word} | .
prediction: (3;%good%) < (3;%bad%)
"""


def write(folder: Path, template: str, **lexicons: str) -> Path:
    """Write x.template and lexicons, by their names without `.csv`; return the template's path."""
    for name, text in lexicons.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")
    path = folder / "x.template"
    path.write_text(template, "utf-8")
    return path


def english(folder: Path) -> LexiconTemplateSource:
    """Return the items of the English template."""
    return LexiconTemplateSource(write(folder, ENGLISH, nouns=NOUNS, verbs=VERBS))


def faults_of(folder: Path, template: str, lexicon: str) -> list[str]:
    """Return the lines that are said of a template with the lexicon l.csv, without its folder."""
    path = write(folder, template, l=lexicon)
    with pytest.raises(GrammarError) as caught:
        LexiconTemplateSource(path)
    return str(caught.value).replace(f"{folder}/", "").splitlines()
