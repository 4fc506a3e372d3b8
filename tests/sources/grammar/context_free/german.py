"""Three German grammars of the kinds of Zaczynska et al. (2020), with few words."""

SIMPLE = """\
# subject and verb, in the main clause
S -> NP_sg V_sg '.' | NP_pl V_pl '.'
NP_sg -> 'die Gärtnerin' | 'der Nachbar' | 'das Kind'
NP_pl -> 'die Gärtnerinnen' | 'die Nachbarn' | 'die Kinder'
V_sg -> 'schläft' | 'hat' 'gewonnen'
V_pl -> 'schlafen' | 'haben' 'gewonnen'
%contrast V_sg V_pl
%contrast V_pl V_sg
"""

# The verb of the main clause is none of the contrasts, though it agrees as well.
SENTENTIAL_COMPLEMENT = """\
S -> Main ',' 'dass' NP_sg V_sg '.' | Main ',' 'dass' NP_pl V_pl '.'
Main -> 'die Ärztin' Says_sg | 'die Ärzte' Says_pl
Says_sg -> 'sagt' | 'hofft'
Says_pl -> 'sagen' | 'hoffen'
NP_sg -> Det_sg N_sg | Det_sg Adj_sg N_sg
NP_pl -> Det_pl N_pl | Det_pl Adj_pl N_pl
Det_sg -> 'der' | 'dieser'
Det_pl -> 'die' | 'diese'
Adj_sg -> 'alte'
Adj_pl -> 'alten'
N_sg -> 'Maler' | 'Lehrer' | 'Sänger'
N_pl -> 'Maler' | 'Lehrer' | 'Sänger'
V_sg -> 'lacht' | 'kommt'
V_pl -> 'lachen' | 'kommen'
%contrast V_sg V_pl
%contrast V_pl V_sg
"""

# Pronouns make a table; "mich" is wrong in two ways.
REFLEXIVES = """\
S -> 'ich' V_1 'mich' PP | 'du' V_2 'dich' PP | NP V_3 'sich' PP
NP -> 'er' | 'die Lehrerin'
V_1 -> 'wasche' | 'erhole'
V_2 -> 'wäschst' | 'erholst'
V_3 -> 'wäscht' | 'erholt'
PP -> | P 'Mittag'
P -> 'am' | 'nach dem'
%contrast 'mich' 'sich'
%contrast 'mich' 'dich'
%contrast 'dich' 'euch'
%contrast 'sich' 'mich' 'sich selbst' 'mich'
"""

# The subject may be as long as the depth permits, and the verb agrees with its first noun.
ATTRACTORS = """\
S -> NP_sg V_sg | NP_pl V_pl
NP_sg -> 'der Autor' | 'der Autor' PP
NP_pl -> 'die Autoren' | 'die Autoren' PP
PP -> 'neben' NP_dat | 'neben' NP_dat PP
NP_dat -> 'dem Richter' | 'den Richtern'
V_sg -> 'lacht'
V_pl -> 'lachen'
%contrast V_sg V_pl
%contrast V_pl V_sg
"""
