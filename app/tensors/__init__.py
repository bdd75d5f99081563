"""Bytes <-> header and blocks: one module per wire format, all of them listed in `formats.FORMATS`.

formats      what a wire format is, and which there are
request      what a body asks for
json_body    application/json in: the members around the tensor
skeleton     a JSON body taken apart: the tensor's text, and what is left without it
plain        the usual text of a tensor, read at the speed of NumPy, or declined
pieces       pieces of such a text, and the marks between their elements
ahead        elements that are read while the body they stand in is still coming
grammar      any JSON body taken apart, and the judge of what is JSON
enclosed     lists and objects of any size, found to be JSON at the speed of their text
marks        the brackets, commas and colons of a piece of JSON, and what is open between them
tokens       the tokens of JSON, and what is said where another one is expected
literal      any text of a tensor, read exactly; every refusal of an element comes from here
regular      lists that go on as those before them
nesting      nested lists <-> shape
narrowing    a decimal text rounded once, into dtypes narrower than float64
json_answer  application/json out
npy           application/x-npy in and out
octet_stream  application/octet-stream in and out
query         the parameters beside a binary body
elements      raw elements in pieces cut anywhere -> blocks
"""
