"""Presets: named groups of perspectives, one data file each, that a project may add to or replace.

``model`` says what they are, ``loader`` finds them and the project's own choice of perspectives, and
``perspectives`` reads one file's tables.
"""

from guildmoot.agents.presets.loader import load_presets as load_presets
from guildmoot.agents.presets.model import Perspective as Perspective
from guildmoot.agents.presets.model import PerspectiveAnswer as PerspectiveAnswer
from guildmoot.agents.presets.model import Preset as Preset
