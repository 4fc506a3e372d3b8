from .build import BuildOptions as BuildOptions
from .checks import ImageCheck as ImageCheck
from .new import new_image as new_image
