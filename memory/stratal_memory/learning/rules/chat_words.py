"""The words of chat and what they stand for."""

from stratal_memory.learning.wordlist import words

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)

# Each line: the word that is meant, then how it is typed.
_TYPED = """
I'm: im iam
I've: ive
don't: dont dnt
doesn't: doesnt
didn't: didnt
can't: cant cannae canny
won't: wont
isn't: isnt
wasn't: wasnt
aren't: arent
haven't: havent
hasn't: hasnt
couldn't: couldnt
wouldn't: wouldnt
shouldn't: shouldnt
don't: dinnae
she's: shes
he's: hes
they're: theyre
they've: theyve
we've: weve
we're: wer
that's: thats
there's: theres
what's: whats wats
you: u ya yu
your: ur
are: r
have: hav hv
and: n
boyfriend: bf
girlfriend: gf
birthday: bday b-day birfday
favourite: fav fave favorit favourit
prefer: prefere
allergic: alergic allergick
vegetarian: vegeterian vegitarian
appointment: appointmant apointment appt
tomorrow: tommorow tomorow tmrw tmr tmw 2moro tommorrow
tonight: 2nite tonite
today: 2day
yesterday: yday yesterdy
weekend: wknd wkend
weeks: wks
week: wk
months: mths
years: yrs
year: yr
hours: hrs
because: becuase cuz bc bcoz coz bcz bcs becoz
which: wich
from: frm
about: abt bout
love: luv
want_to: wanna
going_to: gonna gunna
have_to: gotta
next: nxt
children: childrens
february: febuary
wednesday: wensday
daughter: dughter daugther
already: alredy
definitely: definately def deffo defo
received: recieved
their: thier
really: rly rlly realy
please: pls plz plss
thanks: thx tnx thnx ty
with: wth wit
something: smth sth sumthin
someone: sm1
people: ppl
though: tho
probably: prolly prob
before: b4
little: lil wee
very: hella
though: altho
working: workin
going: goin
living: livin
doing: doin
moving: movin
getting: gettin
playing: playin
studying: studyin
having: havin
making: makin
trying: tryin
starting: startin
staying: stayin
learning: learnin
driving: drivin
coming: comin
right_now: rn
nothing: nothin nuthin
roommate: roomie roomy
flatmate: flatty
husband: hubs hubster
grandmother: gma nonna abuela
sunday: sundy
saturday: saterday
"""
WRITTEN = {
    typed: meant.replace("_", " ")
    for line in _TYPED.strip().splitlines()
    for meant, _, forms in [line.partition(":")]
    for typed in forms.split()
}
# A word with two neighbouring letters swapped is taken for one of these.
_KEYWORDS = words(
    """
    name live work love hate like have birthday sister brother mother father daughter husband
    wife friend favourite favorite allergic vegan vegetarian moving moved prefer married
    engaged called from study school doctor dentist appointment tomorrow yesterday
    """
)
SWAPPED = {
    word[:i] + word[i + 1] + word[i] + word[i + 2 :]: word
    for word in _KEYWORDS
    for i in range(len(word) - 1)
    if len(word) >= 4 and word[i] != word[i + 1]
}
for _real in words("form lived liked faster hated loved worker who's vega"):
    SWAPPED.pop(_real, None)
